{#-
    The kind of a snapshot's column: from the value table of its format family (value_kinds in dbt_project.yml), or,
    without a family, the type as given. A type that is not in the table is a kind itself. An unknown logical type of a
    Connect schema is read as text, because its physical type would have another meaning.
-#}
{% macro value_kind(column, family=none) -%}
{%- set tables = var('value_kinds') -%}
{%- if family is not none and family not in tables -%}
    {{ exceptions.raise_compiler_error(
        "typed_snapshot: family is '" ~ tables | join("', '") ~ "' or none, not '" ~ family ~ "'"
    ) }}
{%- endif -%}
{{ kind_of(column.type, tables.get(family, {})) }}
{%- endmacro %}
