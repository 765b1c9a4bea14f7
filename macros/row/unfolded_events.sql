{#-
    The events that row_states has to fold: the condition that picks them, how many they are, and how to join what they
    touch. Events are appended one run after the other (Delta refuses the second of two at once), so times tell. The
    join is said and not guessed: the plan cannot tell how many rows the new changes touch.

    No further than key_moves has looked, which its properties note: what another build appended since is left for the
    next run.
-#}
{% macro unfolded_events() -%}
{%- set events, key_moves = ref('events'), ref('key_moves') -%}
{%- if not execute or load_relation(events) is none -%}
    {{ return({'condition': 'true', 'truncates': 'true', 'events': none, 'is_few': false, 'join': 'merge'}) }}
{%- endif -%}
{%- do compile_if_large() -%}
{%- set since = (relation_state(this).events_until if is_incremental()) | default(0) | int -%}
{%- set looked = relation_state(key_moves) if load_relation(key_moves) is not none else {} -%}
{%- set until = [looked.events_until | default(0) | int, since] | max -%}
{%- do run_notes().update({'state of ' ~ this: {'events_until': until}}) -%}
{%- set appends = appends_since(since) if until > since else [] -%}
{%- set events = appends | sum(attribute='events') -%}
{%- set condition -%}
appended_at > timestamp_micros({{ since + 1000 }}) and appended_at <= timestamp_micros({{ until }})
{%- endset -%}
{{ return({
    'condition': condition,
    'truncates': condition if appends | sum(attribute='emptied_at') > 0 else 'false',
    'events': events,
    'is_few': events <= var('few_events'),
    'join': 'broadcast' if events <= 5000000 else 'merge',
}) }}
{%- endmacro %}
