{#- dbt would make a table of whatever columns a seed has, and what reads it would fail. -#}
{% macro check_seed_columns(model, found) -%}
{%- set expected = model['config'].get('column_types', {}) -%}
{%- set optional = model['config'].get('meta', {}).get('optional_columns', []) -%}
{%- set missing = expected.keys() | reject('in', found) | reject('in', optional) | list -%}
{%- set unknown = found | reject('in', expected) | list -%}
{%- if missing or unknown -%}
    {{ exceptions.raise_compiler_error(
        model['original_file_path'] ~ ':1: expected the columns ' ~ expected.keys() | join(',') ~ ', found '
        ~ found | join(',') ~ '. Put the first line of the file right, then build again.'
    ) }}
{%- endif -%}
{%- endmacro %}
