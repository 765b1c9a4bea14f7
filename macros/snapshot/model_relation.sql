{#- The relation of a model of this project, for materializations: a ref there would have to stand in each model. -#}
{% macro model_relation(name) -%}
    {%- set node = graph.nodes['model.' ~ model.package_name ~ '.' ~ name] -%}
    {{ return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias)) }}
{%- endmacro %}
