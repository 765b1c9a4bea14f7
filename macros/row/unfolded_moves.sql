{#-
    What key_moves has to look at: the condition that picks events which row_states has not folded yet, and whether
    there is nothing to do: no partial update among them, and none of a table with known changes of key. Asked before
    the model runs, so that sources whose images are whole pay for the questions and no more. 'partial' is the last of
    the scopes in their order: Delta skips all files without one.
-#}
{% macro unfolded_moves() -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return({'condition': 'true', 'is_idle': false}) }}
{%- endif -%}
{%- set states = load_relation(this.incorporate(path={'identifier': 'row_states'})) if is_incremental() -%}
{%- set condition = 'true' -%}
{%- set are_known = false -%}
{%- if states -%}
    {%- set row = run_query(
        'select coalesce(unix_micros(max(appended_at)) + 1000, 0), exists(select 1 from ' ~ this ~ ') from ' ~ states
    ).rows[0] -%}
    {%- set condition = 'appended_at > timestamp_micros(' ~ row[0] ~ ')' -%}
    {%- set are_known = row[1] -%}
{%- endif -%}
{%- set news -%}
select 1 from {{ ref('events') }}
where {{ condition }} and (
    (image_scope = 'partial' and change_type = 'update_postimage')
    {%- if are_known %}
    or (source_name, table_name) in (select source_name, table_name from {{ this }})
    {%- endif %}
)
limit 1
{%- endset -%}
{{ return({'condition': condition, 'is_idle': run_query(news).rows | length == 0}) }}
{%- endmacro %}
