{#- As dbt has it, and where a table was folded from another table than the one that stands there now. -#}
{% macro should_full_refresh() -%}
    {%- set configured = config.get('full_refresh') -%}
    {{ return(is_of_another_table() or (flags.FULL_REFRESH if configured is none else configured)) }}
{%- endmacro %}
