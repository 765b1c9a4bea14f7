{#- If the manifest does not contain the newest append of row_states, events was rebuilt and the table is obsolete. A
    full refresh reads the newest `changed_at` too, because that increases from build to build even if the clock goes
    back. Carried rows are computed again with new changes, because the update's old row may have changed. -#}
{% macro changes_to_fold() -%}
{%- set appends, reached, carried = ref('appends'), {'since': 0, 'changed_at': 0}, [] -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return({'action': 'rebuild', 'since': 0, 'append': 0, 'changed_at': 0, 'rows': 0, 'carried_in': 'true'}) }}
{%- endif -%}
{%- if is_own_table(load_cached_relation(this)) -%}
    {%- set reached = run_query(
        'select coalesce(max(append_number), 0) as since, coalesce(unix_micros(max(changed_at)), 0) as changed_at from '
        ~ this
    ).rows[0] -%}
{%- endif -%}
{%- set is_new = 'append_number > ' ~ (reached.since if can_continue() else 0) -%}
{%- set counts -%}
select
    source_name, table_name, min(append_number) as first_append, max(append_number) as last_append,
    coalesce(sum(row_changes + truncates) filter (where {{ is_new }}), 0) as changes,
    sum(partial_key_updates) as partial_key_updates,
    -- Truncates may spell a table in another case. That of a database depends on all of its tables.
    coalesce(if(
        sum(sum(truncates) filter (where table_name is null)) over (partition by source_name) > 0,
        sum(sum(row_changes + truncates) filter (where {{ is_new }})) over (partition by source_name),
        sum(sum(row_changes + truncates) filter (where {{ is_new }})) over (
            partition by source_name, lower(table_name)
        )
    ), 0) as related_changes
from {{ appends }}
group by source_name, table_name
{%- endset -%}
{%- set tables = run_query(counts).rows -%}
{%- set first = tables | map(attribute='first_append') | min | default(0, true) -%}
{%- set last = tables | map(attribute='last_append') | max | default(0, true) -%}
{%- set is_rebuild = not can_continue() or (reached.since > 0 and not first <= reached.since <= last) -%}
{%- for table in tables if table.partial_key_updates > 0 and (is_rebuild or table.related_changes > 0) -%}
    {%- do carried.append(
        '(source_name = ' ~ sql_text(table.source_name) ~ ' and table_name = ' ~ sql_text(table.table_name) ~ ')'
    ) -%}
{%- endfor -%}
{%- set rows = tables | sum(attribute='changes') -%}
{{ return({
    'action': 'rebuild' if is_rebuild else 'merge' if rows else 'skip', 'since': 0 if is_rebuild else reached.since,
    'append': last, 'changed_at': reached.changed_at, 'rows': rows, 'carried_in': carried | join(' or '),
}) }}
{%- endmacro %}
