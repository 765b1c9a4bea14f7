{#-
    What was appended to events behind a time (microseconds), a mapping for each table: how many events, and when the last
    of all (until), that may have changed a row, that told a part of its row, and that emptied the table; 0 where none did.
    One question for key_moves, row_states and all typed snapshots of a run, from where the first of them was built last.
    As a literal, so that Delta skips the files of older appends, and a millisecond later, for it knows the times in a
    file rounded up; appends are two apart.
-#}
{% macro appends_since(since) -%}
{%- if run_notes().appends is not defined or run_notes().appends.since > since -%}
{%- set asked_since = ([since] + snapshot_times()) | min -%}
{%- set question -%}
select
    source_name, format, database_name, schema_name, table_name,
    count(*) as events,
    unix_micros(max(appended_at)) as until,
    coalesce(unix_micros(max(appended_at) filter (
        where outcome in ('change', 'duplicate') and row_key is not null and change_type <> 'truncate'
    )), 0) as changed_at,
    coalesce(unix_micros(max(appended_at) filter (
        where change_type = 'update_postimage' and fold_scope = 'partial'
    )), 0) as part_at,
    coalesce(unix_micros(max(appended_at) filter (where change_type = 'truncate')), 0) as emptied_at
from {{ model_relation('events') }}
where appended_at > timestamp_micros({{ asked_since }} + 1000)
group by source_name, format, database_name, schema_name, table_name
{%- endset -%}
{%- set places = [] -%}
{%- for row in run_query(question).rows -%}{%- do places.append(row.dict()) -%}{%- endfor -%}
{%- do run_notes().update({'appends': {'since': asked_since, 'places': places}}) -%}
{%- endif -%}
{{ return(run_notes().appends.places | selectattr('until', 'gt', since) | list) }}
{%- endmacro %}
