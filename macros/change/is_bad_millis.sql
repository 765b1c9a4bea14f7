{#- Whether a time is present, is not the vendors' -1 for "none", and still is not a valid time. -#}
{% macro is_bad_millis(columns) -%}
(
    {%- for column in columns %}
    ({{ column }} is not null and {{ column }} <> '-1' and {{ timestamp_from_millis(column) }} is null)
    {{- " or" if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
