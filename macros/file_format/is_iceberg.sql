{#- Whether the present node is a table of Iceberg, and not of Delta. -#}
{% macro is_iceberg() -%}
    {{ return(config.get('file_format') == 'iceberg') }}
{%- endmacro %}
