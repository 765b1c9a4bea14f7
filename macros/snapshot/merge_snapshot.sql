{#- Brings the rows that changed behind a time into a typed snapshot: its own SQL, over these rows alone. -#}
{% macro merge_snapshot(since) -%}
{%- set all_rows = ref('current_rows') ~ ' as current_rows' -%}
{%- if all_rows not in sql -%}
    {{ exceptions.raise_compiler_error(
        model.name ~ ": a model of materialization typed_snapshot is one call of the macro typed_snapshot. Use it, or "
        ~ "set materialized='table' in the model."
    ) }}
{%- endif -%}
merge into {{ this }} as standing
using {{ merge_source(sql | replace(all_rows, '(' ~ changed_rows(since) ~ ') as current_rows')) }} as changed
    on standing.row_key = changed.row_key
when matched and changed.last_change_id is null then delete
when matched then update set *
when not matched and changed.last_change_id is not null then insert *
{%- endmacro %}
