{#- Whether a build continues the table of the present model: the table exists and no full refresh was requested. -#}
{% macro can_continue() -%}
    {{ return(execute and not should_full_refresh() and is_own_table(load_cached_relation(this))) }}
{%- endmacro %}
