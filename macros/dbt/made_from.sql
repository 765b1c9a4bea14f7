{#-
    A hash of the definition of a relation: its SQL, its descriptions, and the columns of the models that it reads,
    because `select *` is resolved when the view is created. The columns are those of the YAML, which has_columns
    checks.
-#}
{% macro made_from(sql) -%}
    {%- set parts = [sql, model.description, config.get('persist_docs'), model.columns] -%}
    {%- for id in model.depends_on.nodes or [] if id in graph.nodes -%}
        {%- do parts.append([id, graph.nodes[id].columns]) -%}
    {%- endfor -%}
    {{ return(local_md5(tojson(parts))) }}
{%- endmacro %}
