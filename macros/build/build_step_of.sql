{% macro build_step_of(sql) -%}
    {%- set step = fromjson((sql | trim).split('\n')[0].replace('-- build step: ', '')) -%}
    {%- if not step or step.action not in ('rebuild', 'append', 'merge', 'skip') -%}
        {{ exceptions.raise_compiler_error(
            model.original_file_path ~ ": the first line of an incremental_table is that of the macro build_step, with "
            ~ "the action rebuild, append, merge or skip. Add it, or use materialized='incremental'."
        ) }}
    {%- endif -%}
    {{ return(step) }}
{%- endmacro %}
