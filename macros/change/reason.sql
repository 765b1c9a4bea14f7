{#- The reason for quarantine: a code of seeds/reason_codes.csv and a detail that never quotes the payload. -#}
{% macro reason(code, detail) -%}
named_struct('code', '{{ code }}', 'detail', '{{ detail }}')
{%- endmacro %}
