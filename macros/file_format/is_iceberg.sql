{#- Whether the current node is an Iceberg table and not a Delta table. -#}
{% macro is_iceberg() -%}
    {{ return(config.get('file_format') == 'iceberg') }}
{%- endmacro %}
