{#-
    What a typed snapshot needs to know of row_states, which is the same for all snapshots of a run: which run made it
    (rows_table), until when it was folded (until), which tables were ever emptied until then (emptied_in: source and
    table; none if it does not say), and what was appended to events behind `since` (microseconds), by table (places);
    nothing where it was folded no further.
-#}
{% macro snapshot_appends(since) -%}
    {%- if 'folded' not in run_notes() -%}
        {%- set state = relation_state(model_relation('row_states')) -%}
        {%- do run_notes().update({'folded': {
            'until': state.events_until | default(0) | int,
            'emptied_in': fromjson(state.emptied_in | default('null', true)),
            'rows_table': made_in('row_states'),
        }}) -%}
    {%- endif -%}
    {%- set folded = run_notes().folded -%}
    {{ return(dict(folded, places=appends_since(since) if since == 0 or since < folded.until else [])) }}
{%- endmacro %}
