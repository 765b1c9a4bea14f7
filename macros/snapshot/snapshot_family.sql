{#-
    The value table for a seen table. OMS writes Canal messages with values of its own; its types have no lengths where
    MySQL spells them.
-#}
{% macro snapshot_family(table) -%}
{%- set family = var('formats').get(table.format, {}).get('types', none) -%}
{%- set types = table.columns | map(attribute='type', default='') | map('lower') | list -%}
{%- set bare = ['int64', 'char', 'varchar', 'decimal', 'binary', 'varbinary', 'bit', 'enum', 'set'] -%}
{%- if not types | select | list -%}
    {{ return(none) }}
{%- elif family == 'canal' and types | select('in', bare) | list -%}
    {{ return('oms') }}
{%- endif -%}
{{ return(family) }}
{%- endmacro %}
