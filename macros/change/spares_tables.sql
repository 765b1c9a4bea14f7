{#- Whether a statement empties no table although its code says TRUNCATE or DROP: one about partitions, or about a
    temporary table, which hides the real table of that name. -#}
{% macro spares_tables(ddl) -%}
coalesce(({{ ddl }}.changes_partitions or {{ ddl }}.kind = 'DROP_TEMPORARY') and size({{ ddl }}.emptied) = 0, false)
{%- endmacro %}
