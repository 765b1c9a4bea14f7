{#-
    What key_moves has to look at: the condition that picks events which row_states has not folded yet, and whether
    there is nothing to do: no partial update among them, and none of a table with known changes of key. Asked before
    the model runs, so that sources whose images are whole pay for the questions and no more. 'partial' is the last of
    the scopes in their order: Delta skips all files without one. Events that another build appends from now on are left to
    it, and row_states of this run, which has to know (graph is what models of one run share), leaves them too.
-#}
{% macro unfolded_moves() -%}
{%- if not execute or flags.WHICH not in ('run', 'build') or model.resource_type == 'unit_test' -%}
    {{ return({'condition': 'true', 'is_idle': false}) }}
{%- endif -%}
{%- set states = load_relation(this.incorporate(path={'identifier': 'row_states'})) if is_incremental() -%}
{%- set since, are_known = 0, false -%}
{%- if states -%}
    {%- set since, are_known = run_query(
        'select coalesce(unix_micros(max(appended_at)) + 1000, 0), exists(select 1 from ' ~ this ~ ') from ' ~ states
    ).rows[0].values() -%}
{%- endif -%}
{%- set events = 'from ' ~ ref('events') ~ ' where appended_at > timestamp_micros(' ~ since ~ ')' -%}
{%- set is_moved_in_part = "change_type = 'update_postimage' and fold_scope = 'partial'" -%}
{%- set until, moved = run_query(
    'select coalesce(unix_micros(max(appended_at)), 0), count_if(' ~ is_moved_in_part ~ ') ' ~ events
).rows[0].values() -%}
{%- do graph.update({'moves_looked_for_until': until}) -%}
{%- set touches_known -%}
select 1 {{ events }}
    and (source_name, table_name) in (select source_name, table_name from {{ this }})
limit 1
{%- endset -%}
{{ return({
    'condition': 'appended_at > timestamp_micros(' ~ since ~ ') and appended_at <= timestamp_micros(' ~ until ~ ')',
    'is_idle': moved == 0 and not (are_known and run_query(touches_known).rows | length > 0),
}) }}
{%- endmacro %}
