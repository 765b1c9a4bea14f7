{#-
    What has been asked once in this run, as a dictionary: answers that a node would get again by asking again, and no
    more. dbt's graph is the one thing that the nodes of a run share; who runs dbt twice in one process may hand in the
    same graph again, so the answers are kept by run.
-#}
{% macro run_notes() -%}
    {{ return(graph.setdefault('asked_in_' ~ invocation_id, {})) }}
{%- endmacro %}
