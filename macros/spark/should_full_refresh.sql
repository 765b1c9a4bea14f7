{#-
    As dbt has it, and where a table was folded from another table than the one that stands there now. Each node asks
    this before it reads what stands there, so this is where a table of the other format is told.
-#}
{% macro should_full_refresh() -%}
    {%- if execute -%}{%- do is_made_table(load_cached_relation(this)) -%}{%- endif -%}
    {%- set configured = config.get('full_refresh') -%}
    {{ return(is_of_another_table() or (flags.FULL_REFRESH if configured is none else configured)) }}
{%- endmacro %}
