{#-
    The source of a merge. For Iceberg it is a temporary view, because Spark 4.1 rewrites the merge before it resolves
    lateral column aliases of the select (an internal error).
-#}
{% macro merge_source(sql) -%}
    {%- if not is_iceberg() -%}{{ return('(\n' ~ sql ~ '\n)') }}{%- endif -%}
    {%- set view = model.name ~ '_changes' -%}
    {%- do run_query('create or replace temporary view ' ~ view ~ ' as\n' ~ sql) -%}
    {{ return(view) }}
{%- endmacro %}
