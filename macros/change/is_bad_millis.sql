{% macro is_bad_millis(columns) -%}
(
    {%- for column in columns %}
    ({{ column }} <> '-1' and millis_timestamp({{ column }}) is null){{ " or" if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
