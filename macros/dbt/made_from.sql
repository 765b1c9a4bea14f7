{#-
    A hash of the definition of a relation: its SQL, its descriptions, and the columns of the models that it reads,
    because `select *` is resolved when the view is created. The columns are those of the YAML, which has_columns
    checks.
-#}
{% macro made_from(sql) -%}
    {%- set parts = [sql, model.description, config.get('persist_docs'), config.get('tblproperties')] -%}
    {%- for name, column in model.columns.items() -%}
        {%- do parts.append([name, column.get('description'), column.get('data_type')]) -%}
    {%- endfor -%}
    {%- for id in model.depends_on.nodes or [] if id in graph.nodes -%}
        {%- for name, column in graph.nodes[id].columns.items() -%}
            {%- do parts.append([id, name, column.get('data_type')]) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(local_md5(tojson(parts))) }}
{%- endmacro %}
