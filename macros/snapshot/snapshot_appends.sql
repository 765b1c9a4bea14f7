{#-
    What was appended to row_states behind a time (microseconds), and which truncates to events: the newest append of
    each table. It is asked once for all snapshots of a run (ask_for_snapshots), or again by one that is further behind;
    not at all where row_states was folded no further since (its events_until).
    `rows_table` names the table row_states, so that one made anew is another; `rows_read` says what it cost.
-#}
{% macro snapshot_appends(since) -%}
    {%- set asked = run_notes().snapshot_appends -%}
    {%- if asked and asked.since <= since -%}{{ return(asked) }}{%- endif -%}
    {%- set row_states = model_relation('row_states') -%}
    {%- set until = relation_state(row_states).events_until | default(0) | int -%}
    {%- set query -%}
select
    false as is_truncate, source_name, table_name, format, database_name, schema_name,
    unix_micros(max(appended_at)) as until, count(*) as appended
from {{ row_states }}
where appended_at > timestamp_micros({{ since }} + 1000)
group by source_name, table_name, format, database_name, schema_name
union all
select
    true, source_name, table_name, format, database_name, schema_name, unix_micros(max(appended_at)), count(*)
from {{ model_relation('events') }}
where appended_at > timestamp_micros({{ since }} + 1000)
    and change_type = 'truncate'
    -- Every truncate has a kind; files without one are skipped.
    and ddl_kind is not null
group by source_name, table_name, format, database_name, schema_name
    {%- endset -%}
    {%- set places = [] -%}
    {%- for row in (run_query(query) if since == 0 or since < until else []) -%}
        {%- do places.append(row.dict()) -%}
    {%- endfor -%}
    {%- set found = {
        'since': since,
        'until': until,
        'places': places,
        'rows_table': made_in('row_states'),
        'rows_read': places | sum('appended'),
    } -%}
    {%- do run_notes().update({'snapshot_appends': found}) -%}
    {{ return(found) }}
{%- endmacro %}
