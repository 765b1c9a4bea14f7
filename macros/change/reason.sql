{% macro reason(code, detail) -%}
named_struct('code', '{{ code }}', 'detail', '{{ detail }}')
{%- endmacro %}
