{#- Of two concurrent appends the second fails, because its select has read data that the first one changed: Delta
    checks that for an append. Iceberg checks it only for a merge, so there the statement is a merge that matches rows
    by position, and its source a temporary view: Spark 4.1 rewrites a merge before it resolves lateral column aliases
    (an internal error). -#}
{% macro write_rows(sql, step) -%}
{%- set of_iceberg, is_append = config.get('file_format') == 'iceberg', step.action == 'append' -%}
{%- if is_append and not of_iceberg -%}
insert into {{ this }} by name
{{ sql }}
{%- else -%}
{%- do run_query('create or replace temporary view ' ~ model.name ~ '_changes as\n' ~ sql) if of_iceberg -%}
{%- set removes = config.get('meta', {}).get('removes_rows') -%}
{%- set keys, same = (model.meta.identified_by, '<=>') if is_append else ([config.get('unique_key')], '=') -%}
merge into {{ this }} as existing
using {{ model.name ~ '_changes' if of_iceberg else '(\n' ~ sql ~ '\n)' }} as changed
    on {{ 'existing.append_number > ' ~ step.since ~ ' and ' if is_append }}
    {%- for key in keys %} existing.{{ key }} {{ same }} changed.{{ key }}{{ ' and' if not loop.last }}{% endfor %}
{%- if removes %}
when matched and changed.row_is_deleted then delete
{%- endif %}
when matched then update set *
when not matched{{ ' and not changed.row_is_deleted' if removes }} then insert *
{%- endif -%}
{%- endmacro %}
