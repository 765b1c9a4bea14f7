{% macro can_continue() -%}
    {{ return(execute and not should_full_refresh() and is_own_table(load_cached_relation(this))) }}
{%- endmacro %}
