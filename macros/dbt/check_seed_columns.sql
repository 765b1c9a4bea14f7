{#- dbt would create a table with whatever columns the file has, and the models that read it would fail. -#}
{% macro check_seed_columns(model, found) -%}
{%- set expected = model['config'].get('column_types', {}) -%}
{%- set optional = model['config'].get('meta', {}).get('optional_columns', []) -%}
{%- set missing = expected.keys() | reject('in', found) | reject('in', optional) | list -%}
{%- set unknown = found | reject('in', expected) | list -%}
{%- set separator = 'semicolons' if ';' in found | join else 'tabs' if '\t' in found | join else none -%}
{%- set remedy = 'Its cells are separated by ' ~ separator ~ '. Save it with commas' if separator
    else 'Fix the first line of the file' -%}
{%- if missing or unknown -%}
    {{ exceptions.raise_compiler_error(
        model['original_file_path'] ~ ':1: expected the columns ' ~ expected.keys() | join(',') ~ ', found '
        ~ found | join(',') ~ '. ' ~ remedy ~ ', then build again.'
    ) }}
{%- endif -%}
{%- endmacro %}
