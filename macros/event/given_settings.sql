{#- The settings that some rule of table_keys.csv gives for one of these sources. -#}
{% macro given_settings(source_names) -%}
{%- set literals = [] -%}
{%- for name in source_names if name is not none -%}
    {%- do literals.append(sql_text(name)) -%}
{%- endfor -%}
{%- set query -%}
select
    {%- for setting in rule_settings() %}
    count(rule.{{ setting }}){{ "," if not loop.last }}
    {%- endfor %}
from {{ ref('table_rules') }}
lateral view explode(rules) exploded as rule
where source_name in ({{ literals | join(', ') or 'null' }})
{%- endset -%}
{%- set counts = run_query(query).rows[0].values() -%}
{%- set given = [] -%}
{%- for setting in rule_settings() -%}
    {%- if counts[loop.index0] > 0 -%}
        {%- do given.append(setting) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(given) }}
{%- endmacro %}
