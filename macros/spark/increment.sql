{#- Appends the rows of a select to the table of the model, or merges them by its unique key. -#}
{% macro increment(sql) -%}
{%- if config.get('incremental_strategy') == 'append' -%}
insert into {{ this }} by name
{{ sql }}
{%- else -%}
{%- set key = config.require('unique_key') -%}
merge into {{ this }} as standing
using (
{{ sql }}
) as news
    on standing.{{ key }} = news.{{ key }}
when matched then update set *
when not matched then insert *
{%- endif -%}
{%- endmacro %}
