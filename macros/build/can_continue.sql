{#-
    Whether a build updates the table of the current model incrementally: it exists and no full refresh was requested.
-#}
{% macro can_continue() -%}
    {{ return(execute and not should_full_refresh() and is_own_table(load_cached_relation(this))) }}
{%- endmacro %}
