{#-
    The text of a column in the row's `columns`. A column that its writer's Avro schema did not have has the text of an
    older name (`aliases`), else `default`. Only a name that is missing counts: a null stays null, and a row without an
    image has no default. An expression per column and no resolved map: Spark would plan all of the map once per column,
    and cannot evaluate a Python function, which decodes bytes, over a lambda.
-#}
{% macro column_text(column) -%}
{%- set name = sql_text(column.name) -%}
{%- if column.aliases or column.get('default') is not none -%}
case
    {%- for known in [column.name] + (column.aliases or []) %}
    when map_contains_key(columns, {{ sql_text(known) }}) then columns[{{ sql_text(known) }}]
    {%- endfor %}
    {%- if column.get('default') is not none %}
    when columns is not null then {{ sql_text(column.default) }}
    {%- endif %}
end
{%- else -%}
columns[{{ name }}]
{%- endif -%}
{%- endmacro %}
