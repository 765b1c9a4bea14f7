{#-
    The relation of a model that reads the present one, for a question about an earlier build: a ref would be a circle.
-#}
{% macro model_relation(name) -%}
    {{ return(api.Relation.create(database=this.database, schema=this.schema, identifier=name)) }}
{%- endmacro %}
