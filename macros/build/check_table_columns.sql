{#- A merge would lose a column silently; the YAML, which has_columns checks, has those of the model. -#}
{% macro check_table_columns() -%}
{%- set found, expected = adapter.get_columns_in_relation(this) | map(attribute='name') | list, model.columns | list -%}
{%- if found | sort != expected | sort -%}
    {{ exceptions.raise_compiler_error(
        this ~ " does not match the model: missing " ~ (expected | reject('in', found) | join(', ') or 'nothing')
        ~ ", unexpected " ~ (found | reject('in', expected) | join(', ') or 'nothing')
        ~ ". Rebuild it: " ~ ('drop it, then dbt run --select ' ~ model.name if config.get('full_refresh') is false
            else 'dbt build --full-refresh --select ' ~ model.name ~ '+')
    ) }}
{%- endif -%}
{%- endmacro %}
