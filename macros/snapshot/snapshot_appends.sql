{#-
    What was appended to row_states behind one time, and which truncates to events behind another (microseconds): the
    newest append of each table. It is asked once for all snapshots of a run (ask_for_snapshots), or again by one that is
    further behind.
    `rows_table` names the table row_states, so that one made anew is another; `rows_read` says what it cost.
-#}
{% macro snapshot_appends(rows_since, truncates_since) -%}
    {%- set asked = run_notes().snapshot_appends -%}
    {%- if asked and asked.rows_since <= rows_since and asked.truncates_since <= truncates_since -%}
        {{ return(asked) }}
    {%- endif -%}
    {%- set row_states = model_relation('row_states') -%}
    {%- set query -%}
select
    false as is_truncate, source_name, table_name, format, database_name, schema_name,
    unix_micros(max(appended_at)) as until, count(*) as appended
from {{ row_states }}
where appended_at > timestamp_micros({{ rows_since }} + 1000)
group by source_name, table_name, format, database_name, schema_name
union all
select
    true, source_name, table_name, format, database_name, schema_name, unix_micros(max(appended_at)), count(*)
from {{ model_relation('events') }}
where appended_at > timestamp_micros({{ truncates_since }} + 1000)
    and change_type = 'truncate'
    -- Every truncate has a kind; files without one are skipped.
    and ddl_kind is not null
group by source_name, table_name, format, database_name, schema_name
    {%- endset -%}
    {%- set places = [] -%}
    {%- set untils = {true: [truncates_since], false: [rows_since]} -%}
    {%- for row in run_query(query) -%}
        {%- do places.append(row.dict()) -%}
        {%- do untils[row.is_truncate].append(row.until | int) -%}
    {%- endfor -%}
    {%- set found = {
        'rows_since': rows_since,
        'truncates_since': truncates_since,
        'places': places,
        'rows_table': made_in('row_states'),
        'rows_until': untils[false] | max,
        'truncates_until': untils[true] | max,
        'rows_read': places | sum('appended'),
    } -%}
    {%- do run_notes().update({'snapshot_appends': found}) -%}
    {{ return(found) }}
{%- endmacro %}
