{#- The relation of a model or seed of this project, for materializations: a ref there would have to stand in each model. -#}
{% macro model_relation(name, type='model') -%}
    {%- set node = graph.nodes[type ~ '.' ~ model.package_name ~ '.' ~ name] -%}
    {{ return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) }}
{%- endmacro %}
