{#-
    What key_moves has to look at: SQL that picks the tables of which events since the last look may have made another
    row of a change of key (by a new one, a change of an old key, a truncate), and until when it looks (microseconds),
    which its properties note. They note also which tables have told a part of a row (parts_in): in others no key moves,
    so these are not looked through.
-#}
{% macro unlooked_events() -%}
{%- set events, updates = ref('events'), ref('int_partial_key_updates') -%}
{%- if not execute or load_relation(events) is none -%}
    {{ return({'tables': 'true', 'until': 0}) }}
{%- endif -%}
{%- do fit_session() -%}
{%- set state = relation_state(this) if is_incremental() else {'parts_in': '[]'} -%}
{%- set since = state.events_until | default(0) | int -%}
{%- set appends = appends_since(since) -%}
{%- set until = ([since] + appends | map(attribute='until') | list) | max | int -%}
{%- set parts_in, changed = fromjson(state.parts_in), [] -%}
{%- for place in appends -%}
    {%- set table = [place.source_name, place.table_name] -%}
    {%- do parts_in.append(table) if place.part_at > since and table not in parts_in -%}
    {%- do changed.append(table) if place.changed_at > since or place.emptied_at > since -%}
{%- endfor -%}
{%- do run_notes().update({'state of ' ~ this: {'events_until': until, 'parts_in': tojson(parts_in)}}) -%}
{%- set has_parts = appends | selectattr('part_at', 'gt', since) | list | length > 0 -%}
{%- if changed | select('in', parts_in) | list | length == 0 -%}
    {{ return({'tables': 'false', 'until': until}) }}
{%- elif not is_incremental() -%}
    {{ return({'tables': 'true', 'until': until}) }}
{%- endif -%}
{%- set is_new = 'appended_at > timestamp_micros(' ~ (since + 1000) ~ ')' -%}
{%- set touched -%}
select source_name, table_name from {{ events }}
where {{ is_new }}
    and outcome in ('change', 'duplicate')
    and (
        (change_type = 'truncate' and (source_name, table_name) in (select source_name, table_name from {{ this }}))
        or (source_name, table_name, row_key) in (select source_name, table_name, old_row_key from {{ this }})
    )
group by source_name, table_name
{%- if has_parts %}
union
select source_name, table_name from {{ updates }}
-- Both halves are appended at once: said of both, Delta skips files for both.
where {{ is_new }} and old_{{ is_new }}
{%- endif %}
{%- endset -%}
{%- set tables = ['false'] -%}
{%- for row in run_query(touched).rows -%}
    {%- do tables.append('(source_name = ' ~ sql_text(row[0]) ~ ' and table_name = ' ~ sql_text(row[1]) ~ ')') -%}
{%- endfor -%}
{{ return({'tables': tables[1:] | join(' or ') or 'false', 'until': until}) }}
{%- endmacro %}
