{#-
    How many events row_states has to fold, as far as it is known before the statement runs: none outside of a run. Not
    without key_moves: it looks at what is not folded yet, and would never see the changes of key among these events.
-#}
{% macro count_new_events(since) -%}
{%- if not execute or flags.WHICH not in ('run', 'build') or model.resource_type == 'unit_test' -%}
    {{ return(none) }}
{%- endif -%}
{%- set query -%}
select count(*), count_if(change_type = 'update_postimage' and image_scope = 'partial')
from {{ ref('events') }}
where appended_at > {{ since }}
{%- endset -%}
{%- set counts = run_query(query).rows[0].values() -%}
{%- if counts[1] > 0 and 'model.' ~ model.package_name ~ '.key_moves' not in selected_resources -%}
    {{ exceptions.raise_compiler_error(
        "row_states: " ~ counts[1] ~ " new changes tell a part of their rows, and key_moves, which this run leaves out, "
        ~ "must look for changes of key among them first. Try: dbt run --select events key_moves row_states"
    ) }}
{%- endif -%}
{{ return(counts[0]) }}
{%- endmacro %}
