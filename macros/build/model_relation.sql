{#-
    The relation of a model that depends on the current one, to query its state after earlier builds: a ref would be
    circular.
-#}
{% macro model_relation(name) -%}
    {{ return(api.Relation.create(database=this.database, schema=this.schema, identifier=name)) }}
{%- endmacro %}
