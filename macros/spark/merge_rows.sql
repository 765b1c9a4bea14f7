{#- Merges the rows of a select into the table of the model, by its unique key. -#}
{% macro merge_rows(sql) -%}
{%- set key = config.require('unique_key') -%}
merge into {{ this }} as standing
using {{ merge_source(sql) }} as news
    on standing.{{ key }} = news.{{ key }}
when matched then update set *
when not matched then insert *
{%- endmacro %}
