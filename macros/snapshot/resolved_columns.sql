{#-
    The column texts of a row, with those that its writer's Avro schema did not have: the value under an older name
    (`aliases`), else `default`. Only a name that is missing counts: a null stays null, and without an image there is
    nothing to add to. An Avro value has all fields of its schema; elsewhere a column may be missing because it did not
    change, and a default would be wrong.
-#}
{% macro resolved_columns(written, columns, family) -%}
{%- set added = [] -%}
{%- for column in columns if column.aliases or column.get('default') is not none -%}
    {%- if family != 'avro' -%}
        {{ exceptions.raise_compiler_error("typed_snapshot: 'default' and 'aliases' need the family 'avro'") }}
    {%- endif -%}
    {%- set older_text -%}
    case
        {%- for alias in column.aliases or [] %}
        when map_contains_key(written, {{ sql_text(alias) }}) then written[{{ sql_text(alias) }}]
        {%- endfor %}
        when true then {{ 'null' if column.get('default') is none else sql_text(column.default) }}
    end
    {%- endset -%}
    {%- do added.append(sql_text(column.name) ~ ', cast(' ~ older_text ~ ' as string)') -%}
{%- endfor -%}
{%- if added -%}
transform(
    array({{ written }}),
    written -> map_concat(
        written,
        map_filter(map({{ added | join(', ') | indent(8) }}), (name, text) -> not map_contains_key(written, name))
    )
)[0]
{%- else -%}
{{ written }}
{%- endif -%}
{%- endmacro %}
