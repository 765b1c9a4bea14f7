{% macro is_soft_deleted(change_type, row_image, column) -%}
{%- set columns = "read_columns(" ~ row_image ~ ")" -%}
case
    when {{ column }} is not null and {{ change_type }} in ('insert', 'upsert', 'update_postimage')
        then if(
            map_contains_key({{ columns }}, {{ column }}),
            coalesce(lower({{ columns }}[{{ column }}]) in ('true', 't', 'yes', 'y', '1'), false),
            null
        )
end
{%- endmacro %}
