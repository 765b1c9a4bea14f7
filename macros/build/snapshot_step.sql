{#-
    The build step of a typed snapshot. Rebuild: it does not exist, its definition (its source table, its SQL, and the
    time zone of its source if it uses one) has changed, or events was rebuilt, so that the first append of the manifest
    is newer than everything it has read. Merge: rows of row_states changed since, which is asked only if the manifest
    has newer appends of the source. Otherwise skip.
-#}
{% macro snapshot_step(source_name, place, definition, reads_time_zone) -%}
{%- set row_states, appends, cdc_sources = ref('row_states'), ref('appends'), ref('cdc_sources') -%}
{%- if not execute or flags.WHICH not in ('run', 'build') or flags.EMPTY -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 0, 'changed_at': 0, 'made_from': 'nothing'}) }}
{%- endif -%}
{%- set existing = load_cached_relation(this) -%}
{%- set reached -%}
select * from (
    select
        min(append_number) as first_append,
        coalesce(max(append_number), 0) as last_append,
        coalesce(max(append_number) filter (where source_name = {{ sql_text(source_name) }}), 0) as source_append,
        coalesce(sum(row_changes) filter (where {{ place }}), 0) as row_changes
    from {{ appends }}
)
{%- if is_own_table(existing) %}
cross join (
    select max(append_number) as since, coalesce(unix_micros(max(changed_at)), 0) as changed_at from {{ this }}
)
{%- endif %}
{%- if reads_time_zone %}
cross join (select max(time_zone) as time_zone from {{ cdc_sources }} where source_name = {{ sql_text(source_name) }})
{%- endif %}
{%- endset -%}
{%- set reached = run_query(reached).rows[0].dict() -%}
{%- set made_from = local_md5(place ~ definition ~ reached.time_zone) -%}
{%- set is_rebuild = not can_continue() or made_from_in(existing) != made_from
    or (reached.since and reached.since < (reached.first_append or reached.since + 1)) -%}
{%- set since = 0 if is_rebuild else reached.since or 0 -%}
{%- set rows = reached.row_changes if is_rebuild else 0 -%}
{%- if not is_rebuild and reached.source_append > since -%}
    {%- set changed -%}
    select count(*) from (
        select row_id, is_deleted from {{ row_states }}
        where {{ place }} and append_number > {{ since }}
    ) as changed
    left join {{ this }} as existing on changed.row_id = existing.row_id
    where not changed.is_deleted or existing.row_id is not null
    {%- endset -%}
    {%- set rows = run_query(changed).rows[0][0] -%}
{%- endif -%}
{{ return({
    'action': 'rebuild' if is_rebuild else 'merge' if rows else 'skip', 'rows': rows, 'since': since,
    'append': reached.last_append, 'changed_at': reached.changed_at or 0, 'made_from': made_from,
}) }}
{%- endmacro %}
