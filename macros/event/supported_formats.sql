{#- The formats that have a staging model, as a SQL list; a test compares it with the folders. -#}
{% macro supported_formats() -%}
(
    'datahub_tuple', 'datahub_blob', 'oms_default', 'oms_default_extend_column_type', 'oms_canal', 'oms_dataworks_v2',
    'oms_shareplex', 'lindorm_sql', 'lindorm_hbase', 'databus_binary', 'databus_json'
)
{%- endmacro %}
