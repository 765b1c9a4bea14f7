{#-
    The build step of a typed snapshot. Rebuild: it does not exist, its definition (its SQL, and the time zone of its
    source if it uses one) has changed, or events was rebuilt, so that the first append of the manifest is newer than
    everything it has read. Merge: rows of row_states changed since. Otherwise skip.
-#}
{% macro snapshot_step(place, definition, time_zone_of=none) -%}
{%- set row_states, appends, cdc_sources = ref('row_states'), ref('appends'), ref('cdc_sources') -%}
{%- if not execute or flags.WHICH not in ('run', 'build') or flags.EMPTY -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 0, 'changed_at': 0, 'made_from': 'nothing'}) }}
{%- endif -%}
{%- set exists = is_own_table(load_cached_relation(this)) -%}
{%- set question -%}
select
    {{ 'max(append_number)' if exists else 'null' }} as since,
    {{ 'coalesce(unix_micros(max(changed_at)), 0)' if exists else '0' }} as changed_at,
    (select min(append_number) from {{ appends }}) as first_append,
    (select max(append_number) from {{ row_states }}) as append,
    (select max(time_zone) from {{ cdc_sources }} where source_name = {{ sql_text(time_zone_of or '') }}) as time_zone
{{ 'from ' ~ this if exists }}
{%- endset -%}
{%- set reached = run_query(question).rows[0] -%}
{%- set made_from = local_md5(definition ~ reached.time_zone) -%}
{%- set is_rebuild = not can_continue() or made_from_in(load_cached_relation(this)) != made_from
    or (reached.since and reached.since < (reached.first_append or reached.since + 1)) -%}
{%- set since = 0 if is_rebuild else reached.since or 0 -%}
{%- set changed -%}
select count(*) from {{ row_states }} as row_states
{%- if is_rebuild %}
where {{ place }}
{%- else %}
left join {{ this }} as existing on row_states.row_id = existing.row_id
where {{ place }} and row_states.append_number > {{ since }}
    and (not row_states.is_deleted or existing.row_id is not null)
{%- endif %}
{%- endset -%}
{%- set rows = run_query(changed).rows[0][0] -%}
{{ return({
    'action': 'rebuild' if is_rebuild else 'merge' if rows else 'skip', 'rows': rows, 'since': since,
    'append': reached.append or 0, 'changed_at': reached.changed_at, 'made_from': made_from,
}) }}
{%- endmacro %}
