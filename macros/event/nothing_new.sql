{#- What an incremental model selects if nothing is new: no row, and nothing that Spark must plan. -#}
{% macro nothing_new() -%}
select * from {{ this }}
where false
{%- endmacro %}
