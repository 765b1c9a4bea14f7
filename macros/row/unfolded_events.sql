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
    {{ return({'condition': 'true', 'events': none, 'join': 'merge'}) }}
{%- endif -%}
{%- do compile_if_large() -%}
{%- set since = (relation_state(this).events_until if is_incremental()) | default(0) | int -%}
{%- set looked = relation_state(key_moves) if load_relation(key_moves) is not none else {} -%}
{%- set until = [looked.events_until | default(0) | int, since] | max -%}
{%- do run_notes().update({'events_until ' ~ this: until}) -%}
{%- set events = appends_since(since).events if until > since else 0 -%}
{{ return({
    'condition': 'appended_at > timestamp_micros(' ~ (since + 1000) ~ ') and appended_at <= timestamp_micros('
        ~ until ~ ')',
    'events': events,
    'join': 'broadcast' if events <= 5000000 else 'merge',
}) }}
{%- endmacro %}
