{#- The kind of a snapshot's column: by the value table of its format family, or, without a family, what it says. -#}
{% macro value_kind(column, family=none) -%}
{%- if family == 'oms' -%}
{{ oms_kind(column.type) }}
{%- elif family == 'canal' -%}
{{ canal_kind(column.type) }}
{%- elif family == 'datahub' -%}
{{ datahub_kind(column.type) }}
{%- elif family == 'connect' -%}
{{ connect_kind(column.type) }}
{%- elif family == 'avro' -%}
{{ avro_kind(column.type) }}
{%- elif family is none -%}
{{ column.type | lower }}
{%- else -%}
{{ exceptions.raise_compiler_error(
    "typed_snapshot: family is 'oms', 'canal', 'datahub', 'connect', 'avro' or none, not '" ~ family ~ "'"
) }}
{%- endif -%}
{%- endmacro %}
