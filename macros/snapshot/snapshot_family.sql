{#-
    The value table for a seen table. OMS writes Canal messages with values of its own; its types have no lengths where
    MySQL spells them.
-#}
{% macro snapshot_family(table) -%}
{%- set families = {
    'datahub_blob': 'datahub', 'lindorm_sql': 'connect', 'databus_binary': 'avro', 'databus_json': 'avro',
} -%}
{%- set types = table.columns | map(attribute='type', default='') | map('lower') | list -%}
{%- set bare = ['int64', 'char', 'varchar', 'decimal', 'binary', 'varbinary', 'bit', 'enum', 'set'] -%}
{%- if not types | select | list -%}
    {{ return(none) }}
{%- elif table.format == 'oms_canal' and not types | select('in', bare) | list -%}
    {{ return('canal') }}
{%- endif -%}
{{ return(families.get(table.format, 'oms' if table.format.startswith('oms_') else none)) }}
{%- endmacro %}
