{#- A merge would lose a column silently; the YAML, which has_columns checks, has those of the model. -#}
{% macro check_table_columns() -%}
{%- set found = adapter.get_columns_in_relation(this) | map(attribute='name') | list -%}
{%- set expected = model.columns.keys() | list -%}
{%- if found | sort != expected | sort -%}
    {{ exceptions.raise_compiler_error(
        this ~ " does not match the model: missing " ~ (expected | reject('in', found) | join(', ') or 'nothing')
        ~ ", unexpected " ~ (found | reject('in', expected) | join(', ') or 'nothing')
        ~ ". Rebuild it: dbt build --full-refresh --select " ~ model.name ~ "+"
    ) }}
{%- endif -%}
{%- endmacro %}
