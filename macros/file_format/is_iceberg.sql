{% macro is_iceberg() -%}
    {{ return(config.get('file_format') == 'iceberg') }}
{%- endmacro %}
