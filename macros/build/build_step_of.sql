{% macro build_step_of(sql) -%}
    {%- set line = (sql | trim).split('\n')[0] -%}{%- set step = fromjson(line.replace('-- build step: ', '')) -%}
    {%- if not step or step.action not in ('rebuild', 'append', 'merge', 'skip') -%}
        {{ exceptions.raise_compiler_error(
            model.original_file_path ~ ":1: expected the line of the macro build_step with rebuild, append, merge or "
            ~ "skip, found: " ~ line ~ ". Add it, or use materialized='incremental'."
        ) }}
    {%- endif -%}
    {{ return(step) }}
{%- endmacro %}
