{#- The relation of a model or seed of this project, for what runs with other models: a ref would have to stand in each. -#}
{% macro model_relation(name) -%}
    {%- set package = '.' ~ model.package_name ~ '.' ~ name -%}
    {%- set node = graph.nodes.get('model' ~ package) or graph.nodes['seed' ~ package] -%}
    {{ return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) }}
{%- endmacro %}
