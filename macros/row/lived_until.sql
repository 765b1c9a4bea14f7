{#-
    Those of an array of changes that are still there when the last one comes: no truncate of the table (an array, or null
    for none) stands between them and it.
-#}
{% macro lived_until(last, changes, truncates) -%}
if(
    {{ truncates }} is null,
    {{ changes }},
    filter(
        {{ changes }},
        earlier -> not exists(
            {{ truncates }},
            truncate -> coalesce({{ is_emptied('earlier', 'truncate') }}, false)
            and not coalesce({{ is_emptied(last, 'truncate') }}, false)
        )
    )
)
{%- endmacro %}
