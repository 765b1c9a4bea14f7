{#-
    A hash of all that makes a relation what it is: its SQL, what describes it, and what the models that it reads are made
    from, for `select *` takes their columns when the view is made. A table has the columns of its YAML, and where it is
    made anew with others all is (--full-refresh).
-#}
{% macro made_from(sql) -%}
    {%- set parts = [sql, model.description, config.get('persist_docs'), config.get('tblproperties')] -%}
    {%- for name, column in model.columns.items() -%}
        {%- do parts.append([name, column.get('description'), column.get('data_type')]) -%}
    {%- endfor -%}
    {%- for id in model.depends_on.nodes or [] if id in graph.nodes -%}
        {%- set node = graph.nodes[id] -%}
        {%- if node.config.materialized == 'view' -%}
            {%- set standing = load_cached_relation(
                api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)
            ) -%}
            {%- do parts.append(run_notes().made_from.get(id) or made_from_of(standing)) -%}
        {%- else -%}
            {%- do parts.append(node.columns | list) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(local_md5(tojson(parts))) }}
{%- endmacro %}
