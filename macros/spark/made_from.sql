{#-
    A hash of all that makes a relation what it is: its SQL, what describes it, and the columns of the models that it
    reads, for `select *` takes them when the view is made. The columns are those of the YAML, which has_columns holds
    true.
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
