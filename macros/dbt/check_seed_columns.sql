{#- dbt would create a table with whatever columns the file has, and the models that read it would fail. -#}
{% macro check_seed_columns(model, found) -%}
{%- set expected = model['config'].get('column_types', {}) -%}
{%- set optional = model['config'].get('meta', {}).get('optional_columns', []) -%}
{%- set unknown = found | reject('in', expected) | list -%}
{%- if unknown or expected.keys() | reject('in', found) | reject('in', optional) | list -%}
    {{ exceptions.raise_compiler_error(
        model['original_file_path'] ~ ':1: expected the columns ' ~ expected.keys() | join(',') ~ ', found '
        ~ found | join(',') ~ '. Fix the first line of the file, then build again.'
    ) }}
{%- endif -%}
{%- endmacro %}
