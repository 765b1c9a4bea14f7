{#-
    What key_moves has to look at: the condition that picks events which row_states has not folded yet, and whether
    there is nothing to do: no partial update among them, and no change of key known that they could bear on. Asked
    before the model runs, so that sources whose images are whole pay for a question and no more. 'partial' is the
    last of the scopes in their order: Delta skips all files without one.
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
        'select coalesce(unix_micros(max(appended_at)), 0), exists(select 1 from ' ~ this ~ ') from ' ~ states
    ).rows[0] -%}
    {%- set condition = 'appended_at > timestamp_micros(' ~ row[0] ~ ')' -%}
    {%- set are_known = row[1] -%}
{%- endif -%}
{%- set found -%}
select 1 from {{ ref('events') }}
where image_scope = 'partial' and change_type = 'update_postimage' and {{ condition }}
limit 1
{%- endset -%}
{{ return({'condition': condition, 'is_idle': not are_known and run_query(found).rows | length == 0}) }}
{%- endmacro %}
