{#-
    What a merge takes the rows of a select from. Spark rewrites a merge into a table of Iceberg before it has
    resolved the names that the select gives and uses again (an internal error of Spark 4.1); in a temporary view it
    has.
-#}
{% macro merge_source(sql) -%}
    {%- if not is_iceberg() -%}{{ return('(\n' ~ sql ~ '\n)') }}{%- endif -%}
    {%- set view = model.name ~ '_changes' -%}
    {%- do run_query('create or replace temporary view ' ~ view ~ ' as\n' ~ sql) -%}
    {{ return(view) }}
{%- endmacro %}
