{#-
    The settings that some rule of table_keys.csv sets for one of these sources or for any source, as a list. Reads the
    seed instead of table_rules, which takes a cold server a second longer to plan.
-#}
{% macro given_settings(table_keys, source_names) -%}
{%- set settings = ['key_columns', 'lob_columns', 'soft_delete_column'] -%}
{%- set query -%}
select
    {%- for setting in settings %}
    count({{ setting }}) > 0 as {{ setting }}{{ "," if not loop.last }}
    {%- endfor %}
from {{ table_keys }}
where source_name is null or source_name in ({{ sql_texts(source_names) }})
{%- endset -%}
{%- set given = run_query(query).rows[0] -%}
{%- set found = [] -%}
{%- for setting in settings if given[setting] -%}{%- do found.append(setting) -%}{%- endfor -%}
{{ return(found) }}
{%- endmacro %}
