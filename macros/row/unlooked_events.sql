{#-
    What key_moves has to look at: SQL that picks the tables of which events since the last look may have made another
    row of a change of key (by a new one, a change of an old key, a truncate), and until when it looks (microseconds);
    null if there is nothing to do. As long as no change of key told a part of its row there is nothing to note.
    'partial' sorts last among the scopes, so by the maximum in a file's statistics Delta skips the files without one.
-#}
{% macro unlooked_events() -%}
{%- set events, updates = ref('events'), ref('int_partial_key_updates') -%}
{%- if not execute or load_relation(events) is none -%}
    {{ return({'tables': 'true', 'until': none}) }}
{%- endif -%}
{%- do compile_if_large() -%}
{%- set since, is_known = 'timestamp_micros(0)', false -%}
{%- if is_incremental() -%}
    {%- set noted = 'select unix_micros(max(if(row_id is null, appended_at, null))) from ' ~ this -%}
    {%- set micros = run_query(noted).rows[0][0] -%}
    {%- set is_known = micros is not none -%}
    {%- if is_known -%}{%- set since = 'timestamp_micros(' ~ micros ~ ')' -%}{%- endif -%}
{%- endif -%}
{%- set until, parts = run_query(
    "select unix_micros(max(appended_at)), count_if(change_type = 'update_postimage' and fold_scope = 'partial') from "
    ~ events ~ ' where appended_at > ' ~ since
).rows[0].values() -%}
{%- if until is none or (parts == 0 and not is_known) -%}
    {{ return({'tables': 'false', 'until': none}) }}
{%- elif not is_known -%}
    {{ return({'tables': 'true', 'until': until}) }}
{%- endif -%}
{%- set touched -%}
select source_name, table_name from {{ updates }}
-- Both halves are appended at once: said of both, Delta skips files for both.
where appended_at > {{ since }} and old_appended_at > {{ since }}
union
select source_name, table_name from {{ events }}
where appended_at > {{ since }}
    and outcome in ('change', 'duplicate')
    and (
        (change_type = 'truncate' and (source_name, table_name) in (select source_name, table_name from {{ this }}))
        or (source_name, table_name, row_key) in (select source_name, table_name, old_row_key from {{ this }})
    )
{%- endset -%}
{%- set tables = ['false'] -%}
{%- for row in run_query(touched).rows -%}
    {%- do tables.append('(source_name = ' ~ sql_text(row[0]) ~ ' and table_name = ' ~ sql_text(row[1]) ~ ')') -%}
{%- endfor -%}
{{ return({'tables': tables | join(' or '), 'until': until}) }}
{%- endmacro %}
