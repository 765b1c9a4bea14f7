{#-
    The events that row_states has to fold: the condition that picks them, how many they are, and how to join what they
    touch. Events are appended one run after the other (Delta refuses the second of two at once), so times tell; as
    literals, so that Delta skips the files of older appends, and a millisecond later, for it knows the times in a file
    rounded up. The join is said and not guessed: the plan cannot tell how many rows the new changes touch.

    No further than key_moves has looked: what another build appended since is left for the next run.
-#}
{% macro unfolded_events() -%}
{%- set events, key_moves = ref('events'), ref('key_moves') -%}
{%- if not execute or load_relation(events) is none -%}
    {{ return({'condition': 'true', 'events': none, 'join': 'merge'}) }}
{%- endif -%}
{%- do compile_if_large() -%}
{%- set query -%}
select
    {% if is_incremental() -%}
    (select coalesce(unix_micros(max(appended_at)) + 1000, 0) from {{ this }})
    {%- else -%} 0 {%- endif %} as folded_until,
    (select unix_micros(max(if(row_id is null, appended_at, null))) from {{ key_moves }}) as looked_until
{%- endset -%}
{%- set folded_until, looked_until = run_query(query).rows[0].values() -%}
{%- set condition = 'appended_at > timestamp_micros(' ~ folded_until ~ ')' -%}
{%- set query -%}
select
    {%- if looked_until is none %}
    -- key_moves has nothing noted: up to now it has seen no part of a row.
    coalesce(
        unix_micros(min(if(change_type = 'update_postimage' and fold_scope = 'partial', appended_at, null))) - 1,
        unix_micros(max(appended_at)),
        0
    ),
    count(*)
    {%- else %}
    {{ looked_until }},
    count_if(appended_at <= timestamp_micros({{ looked_until }}))
    {%- endif %}
from {{ events }}
where {{ condition }}
{%- endset -%}
{%- set until, count = run_query(query).rows[0].values() -%}
{{ return({
    'condition': condition ~ ' and appended_at <= timestamp_micros(' ~ until ~ ')',
    'events': count,
    'join': 'broadcast' if count <= 5000000 else 'merge',
}) }}
{%- endmacro %}
