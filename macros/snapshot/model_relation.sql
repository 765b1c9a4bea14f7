{#- The relation of a model or seed, for what runs in many models: a ref would have to stand in each of them. -#}
{% macro model_relation(name) -%}
    {%- set package = '.' ~ model.package_name ~ '.' ~ name -%}
    {%- set node = graph.nodes.get('model' ~ package) or graph.nodes['seed' ~ package] -%}
    {{ return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) }}
{%- endmacro %}
