{#- An empty select for an incremental model without new input, which Spark plans at no cost. -#}
{% macro nothing_new() -%}
select * from {{ this }}
where false
{%- endmacro %}
