{#-
    What the nodes of one run tell each other, as a dictionary. dbt's graph is the one thing that they share; who runs dbt
    twice in one process may hand in the same graph again, so that the notes of another run do not count.
-#}
{% macro run_notes() -%}
    {%- if graph.get('run_notes', {}).get('of') != invocation_id -%}
        {%- do graph.update({'run_notes': {'of': invocation_id, 'made_from': {}}}) -%}
    {%- endif -%}
    {{ return(graph['run_notes']) }}
{%- endmacro %}
