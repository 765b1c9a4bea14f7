{#-
    A select of all columns of a relation named staged and what table_keys.csv sets for each row, null where it sets
    nothing. Only the settings that some rule gives are looked up: without rules there is nothing to join.
-#}
{% macro configured_events(settings) -%}
select
    staged.*
    {%- for setting in rule_settings() %},
    {% if setting in settings -%}
        {{ configured(setting, 'table_rules.rules', 'source_rules.rules') }}
    {%- else -%}
        {{ 'cast(null as string)' if setting == 'soft_delete_column' else 'cast(null as array<string>)' }}
    {%- endif %} as configured_{{ setting }}
    {%- endfor %}
from staged
{%- if settings %}
left join {{ ref('table_rules') }} as table_rules
    on staged.source_name = table_rules.source_name and staged.table_name = table_rules.table_name
left join {{ ref('table_rules') }} as source_rules
    on staged.source_name = source_rules.source_name and source_rules.table_name is null
{%- endif %}
{%- endmacro %}
