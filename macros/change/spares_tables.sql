{#- A temporary table hides the permanent table of its name. -#}
{% macro spares_tables(ddl) -%}
coalesce(({{ ddl }}.changes_partitions or {{ ddl }}.kind = 'DROP_TEMPORARY') and size({{ ddl }}.emptied) = 0, false)
{%- endmacro %}
