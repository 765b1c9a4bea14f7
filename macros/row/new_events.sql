{#-
    What row_states has to fold, as far as it is known before the statement runs: the condition that picks these events,
    how many they are, how many truncates among them, whether any change of key brought a row along, whether any image may
    lie on another (has_parts) and any of the new ones does (has_new_parts), whether they are few beside what is known, and how
    to join the floors of their rows. The join is said and not guessed: a catalog may know a size of the table that it had
    long ago. Not without key_moves: it looks at what is not folded yet, and would never see the changes of key among these
    events. What another build appended since key_moves looked is left to that build, or to a later one.
-#}
{% macro new_events(since) -%}
{%- set is_later = 'appended_at > ' ~ since -%}
{%- if not execute or flags.WHICH not in ('run', 'build') or model.resource_type == 'unit_test' -%}
    {{ return({
        'condition': is_later, 'events': none, 'truncates': none, 'has_key_moves': true, 'has_parts': true,
        'has_new_parts': true, 'are_few': is_incremental(), 'join': 'merge'
    }) }}
{%- endif -%}
{%- set looked_until = graph.get('moves_looked_for_until') -%}
{%- set query -%}
select
    count(*),
    count_if(change_type = 'truncate'),
    count_if(change_type = 'update_postimage' and fold_scope = 'partial'),
    exists(select 1 from {{ ref('key_moves') }}),
    count_if(change_type <> 'truncate' and fold_scope <> 'full'),
    coalesce(unix_micros(max(appended_at)), 0)
from {{ ref('events') }}
where {{ is_later }}
{%- if looked_until is not none %}
    and appended_at <= timestamp_micros({{ looked_until }})
{%- endif %}
{%- endset -%}
{%- set counts = run_query(query).rows[0].values() -%}
{%- set key_moves = 'model.' ~ model.package_name ~ '.key_moves' -%}
{%- if (counts[2] > 0 or (counts[0] > 0 and counts[3])) and key_moves not in selected_resources -%}
    {{ exceptions.raise_compiler_error(
        "row_states: " ~ counts[0] ~ " new events, of which " ~ counts[2] ~ " tell a part of their rows, may bear on a "
        ~ "change of key that brought a row along, and key_moves, which this run leaves out, must look at them first. "
        ~ "Try: dbt run --select events key_moves row_states"
    ) }}
{%- endif -%}
{{ return({
    'condition': is_later ~ ' and appended_at <= timestamp_micros(' ~ counts[5] ~ ')',
    'events': counts[0],
    'truncates': counts[1],
    'has_key_moves': counts[3],
    'has_parts': is_incremental() or counts[3] or counts[4] > 0,
    'has_new_parts': counts[4] > 0,
    'are_few': is_incremental() and counts[0] <= 100000,
    'join': 'broadcast' if counts[0] <= 5000000 else 'merge',
}) }}
{%- endmacro %}
