{#- With the columns of the models that it reads, as in their YAML, which has_columns checks: `select *` is resolved
    when the view is created. -#}
{% macro definition_hash(sql) -%}
    {%- set comments = model.columns.values() | map(attribute='description') | list -%}
    {%- set parts = [sql, model.description, config.get('persist_docs'), comments] -%}
    {%- for id in [model.unique_id] + (model.depends_on.nodes or []) if id in graph.nodes -%}
        {%- set columns = graph.nodes[id].columns -%}
        {%- do parts.extend([id, columns | list, columns.values() | map(attribute='data_type') | list]) -%}
    {%- endfor -%}
    {{ return(local_md5(tojson(parts))) }}
{%- endmacro %}
