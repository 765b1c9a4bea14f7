{#-
    The column texts of a row, with those that its writer's Avro schema did not have: the value under an older name
    (`aliases`), else `default`. Only a name that is missing counts: a null stays null, and a row without an image stays
    without columns. An Avro value has all fields of its schema; elsewhere a column may be missing because it did not
    change, and a default would be wrong. No lambda: Spark cannot evaluate a Python function (bytes are decoded by one)
    over the result of a lambda.
-#}
{% macro resolved_columns(written, columns, family) -%}
{%- set added = [] -%}
{%- for column in columns if column.aliases or column.get('default') is not none -%}
    {%- if family != 'avro' -%}
        {{ exceptions.raise_compiler_error("typed_snapshot: 'default' and 'aliases' need the family 'avro'") }}
    {%- endif -%}
    {%- set name = sql_text(column.name) -%}
    {%- set default = 'null' if column.get('default') is none else sql_text(column.default) -%}
    {%- set older_text -%}
    case
        {%- for alias in column.aliases or [] %}
        when map_contains_key({{ written }}, {{ sql_text(alias) }}) then {{ written }}[{{ sql_text(alias) }}]
        {%- endfor %}
        when true then {{ default }}
    end
    {%- endset -%}
    {%- do added.append(
        'if(map_contains_key(' ~ written ~ ', ' ~ name ~ '), map(), map(' ~ name ~ ', cast(' ~ older_text
        ~ ' as string)))'
    ) -%}
{%- endfor -%}
{%- if added -%}
map_concat(
    {{ written }},
    {{ added | join(',\n    ') }}
)
{%- else -%}
{{ written }}
{%- endif -%}
{%- endmacro %}
