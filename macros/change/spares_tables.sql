{#- Whether a statement empties no table although its code is TRUNCATE or DROP: it concerns partitions, or a temporary
    table, which hides the permanent table of that name. -#}
{% macro spares_tables(ddl) -%}
coalesce(({{ ddl }}.changes_partitions or {{ ddl }}.kind = 'DROP_TEMPORARY') and size({{ ddl }}.emptied) = 0, false)
{%- endmacro %}
