{#- The build step that the first line of a model's SQL states, as a dictionary. -#}
{% macro build_step_of(sql) -%}
    {%- set line = (sql | trim).split('\n')[0] -%}
    {%- if not line.startswith('-- build step: ') -%}
        {{ exceptions.raise_compiler_error(
            model.original_file_path ~ ": a model of materialization incremental_table starts with a line of the macro "
            ~ "build_step; found: " ~ line ~ ". Add it, or use materialized='incremental'."
        ) }}
    {%- endif -%}
    {{ return(fromjson(line.replace('-- build step: ', ''))) }}
{%- endmacro %}
