{#- The settings that some rule of table_keys.csv gives for one of these sources, as a list. -#}
{% macro given_settings(source_names) -%}
{%- set query -%}
select setting from {{ ref('table_rules') }}
lateral view explode(rules) exploded as rule
lateral view explode(array_compact(array(
    if(rule.key_columns is null, null, 'key_columns'),
    if(rule.lob_columns is null, null, 'lob_columns'),
    if(rule.soft_delete_column is null, null, 'soft_delete_column')
))) given as setting
where source_name in ({{ sql_texts(source_names) }})
group by setting
{%- endset -%}
{{ return(run_query(query).columns[0].values() | list) }}
{%- endmacro %}
