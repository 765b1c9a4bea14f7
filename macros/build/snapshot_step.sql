{#- Rebuild: it does not exist, its definition changed (table, SQL, the time zone of its source if it uses one), or
    events was rebuilt and the manifest lacks appends that it has read. Merge: queried only if its table has newer
    appends, in any case; after a DROP DATABASE those of all tables count (database_spelled_since, table_truncates). -#}
{% macro snapshot_step(source_name, table_name, place, definition, reads_time_zone) -%}
{%- set row_states, appends, cdc_sources = ref('row_states'), ref('appends'), ref('cdc_sources') -%}
{%- if not execute or flags.WHICH not in ('run', 'build') or flags.EMPTY -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 0, 'changed_at': 0, 'definition_hash': '-'}) }}
{%- endif -%}
{%- set existing, is_source = load_cached_relation(this), 'where source_name = ' ~ sql_text(source_name) -%}
{%- set reached -%}
select
    *,
    {{ '(select max(time_zone) from ' ~ cdc_sources ~ ' ' ~ is_source ~ ')' if reads_time_zone else "''" }} as time_zone
from (
    select
        min(append_number) as first_append, coalesce(max(append_number), 0) as last_append,
        count_if(truncates > 0 and table_name is null) filter ({{ is_source }}) > 0 as any_table,
        coalesce(max(append_number) filter (
            {{ is_source }} and lower(table_name) = lower({{ sql_text(table_name) }})
        ), 0) as table_append,
        coalesce(max(append_number) filter ({{ is_source }}), 0) as source_append,
        coalesce(sum(row_changes) filter (where {{ place }}), 0) as row_changes
    from {{ appends }}
)
cross join (
    select coalesce(max(append_number), 0) as since, coalesce(unix_micros(max(changed_at)), 0) as changed_at
    from {{ this if is_own_table(existing) else '(select 0 as append_number, timestamp_micros(0) as changed_at)' }}
)
{%- endset -%}
{%- set reached = run_query(reached).rows[0] -%}
{%- set definition_hash = local_md5(place ~ definition ~ reached.time_zone) -%}
{%- set is_rebuild = not can_continue() or stored_definition_hash(existing) != definition_hash
    or (reached.since > 0 and not (reached.first_append or 0) <= reached.since <= reached.last_append) -%}
{%- set since = 0 if is_rebuild else reached.since -%}
{%- set rows = reached.row_changes if is_rebuild else 0 -%}
{#- A redelivered change gives a row a higher append_number, and changes nothing. -#}
{%- set is_changed = 'append_number > ' ~ since ~ ' and changed_at > timestamp_micros(' ~ reached.changed_at ~ ')' -%}
{%- if not is_rebuild and (reached.source_append if reached.any_table else reached.table_append) > since -%}
    {%- set rows = run_query(
        'select count(*) from ' ~ row_states ~ ' where ' ~ place ~ ' and ' ~ is_changed
        ~ ' and (not is_deleted or row_id in (select row_id from ' ~ this ~ '))'
    ).rows[0][0] -%}
{%- endif -%}
{{ return({
    'action': 'rebuild' if is_rebuild else 'merge' if rows else 'skip', 'rows': rows, 'since': since,
    'append': reached.last_append, 'changed_at': reached.changed_at, 'is_changed': is_changed,
    'definition_hash': definition_hash,
}) }}
{%- endmacro %}
