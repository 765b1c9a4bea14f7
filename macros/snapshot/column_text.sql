{#- Only missing names get another text: a null stays null, and a row without an image gets no default. One expression
    per column instead of a resolved map: Spark would plan the whole map once per column, and cannot evaluate a Python
    function, which decodes bytes, over a lambda. -#}
{% macro column_text(column) -%}
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
columns[{{ sql_text(column.name) }}]
{%- endif -%}
{%- endmacro %}
