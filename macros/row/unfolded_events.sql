{#-
    The events that row_states has to fold: the condition that picks them, how many they are, and how to join what they
    touch. Events are appended one run after the other (Delta refuses the second of two at once), so times tell. The
    join is said and not guessed: the plan cannot tell how many rows the new changes touch.

    And what to join in place of table_truncates (no_truncates) where none of their tables was ever emptied: else the
    plan looks for truncates in all events. The properties of row_states note which tables were (emptied_in; null where
    an older version made it). Likewise the changes without key_moves (without_moves) where none of their tables ever
    told a part of a row, which key_moves notes.

    No further than key_moves has looked, which its properties note: what another build appended since is left for the
    next run.
-#}
{% macro unfolded_events() -%}
{%- set events, key_moves, table_truncates = ref('events'), ref('key_moves'), ref('table_truncates') -%}
{%- set sent_changes = ref('int_sent_changes') -%}
{%- if not execute or load_relation(events) is none -%}
    {{ return({'condition': 'true', 'truncates': 'true', 'events': none, 'is_few': false, 'join': 'merge'}) }}
{%- endif -%}
{%- do fit_session() -%}
{%- set state = relation_state(this) if is_incremental() else {'emptied_in': '[]'} -%}
{%- set since = state.events_until | default(0) | int -%}
{%- set looked = relation_state(key_moves) if load_relation(key_moves) is not none else {} -%}
{%- set until = [looked.events_until | default(0) | int, since] | max -%}
{%- set appends = appends_since(since) if until > since else [] -%}
{%- set emptied_in, tables = fromjson(state.emptied_in | default('null', true)), [] -%}
{%- for place in appends -%}
    {%- do tables.append([place.source_name, place.table_name]) -%}
    {%- if emptied_in is not none and place.emptied_at > 0 and tables[-1] not in emptied_in -%}
        {%- do emptied_in.append(tables[-1]) -%}
    {%- endif -%}
{%- endfor -%}
{%- set parts_in = fromjson(looked.parts_in | default('null', true)) -%}
{%- do run_notes().update({'state of ' ~ this: {'events_until': until, 'emptied_in': tojson(emptied_in)}}) -%}
{%- set events = appends | sum(attribute='events') -%}
{%- set condition -%}
appended_at > timestamp_micros({{ since + 1000 }}) and appended_at <= timestamp_micros({{ until }})
{%- endset -%}
{{ return({
    'condition': condition,
    'truncates': condition if appends | sum(attribute='emptied_at') > 0 else 'false',
    'no_truncates': none if emptied_in is none or tables | select('in', emptied_in) | list
        else '(select * from ' ~ table_truncates ~ ' where false)',
    'without_moves': none if parts_in is none or tables | select('in', parts_in) | list
        else '(' ~ row_changes(sent_changes) ~ ')',
    'events': events,
    'is_few': events <= var('few_events'),
    'join': 'broadcast' if events <= 5000000 else 'merge',
}) }}
{%- endmacro %}
