{#- The SQL of a typed snapshot over other rows, in the shape of current_rows, than all that live. -#}
{% macro snapshot_of_rows(rows) -%}
{%- set all_rows = ref('current_rows') ~ ' as current_rows' -%}
{%- if all_rows not in sql -%}
    {{ exceptions.raise_compiler_error(
        model.name ~ ": a model of materialization typed_snapshot is one call of the macro typed_snapshot. Use it, or "
        ~ "set materialized='table' in the model."
    ) }}
{%- endif -%}
{{ sql | replace(all_rows, rows ~ ' as current_rows') }}
{%- endmacro %}
