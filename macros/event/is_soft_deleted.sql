{#- Whether a new row image says in the configured column that its row is deleted. The text of the column is compared
    only, so that it does not matter that from_json rounds numbers. -#}
{% macro is_soft_deleted(change_type, row_image, column) -%}
case
    when {{ column }} is not null and {{ change_type }} in ('insert', 'upsert', 'update_postimage')
        then coalesce(
            lower(from_json({{ row_image }}, 'map<string, string>')[{{ column }}]) in ('true', 't', 'yes', 'y', '1'), false
        )
    else false
end
{%- endmacro %}
