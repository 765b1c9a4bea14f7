{#- Only settings that some rule sets are looked up; without rules there is no join. A macro, because its input is the
    unread messages of one run. -#}
{% macro with_configuration(events, settings) -%}
{%- set types = {'key_columns': 'array<string>', 'lob_columns': 'array<string>', 'soft_delete_column': 'string'} -%}
select
    * except (rules),
    {%- for setting in types %}
    {% if setting in settings -%}
    get(filter(rules, rule -> rule.{{ setting }} is not null), 0).{{ setting }}
    {%- else -%}
    cast(null as {{ types[setting] }})
    {%- endif %} as configured_{{ setting }},
    {%- endfor %}
    -- A format whose messages contain their position in the source log is ordered by position anyway, and recognizes
    -- messages that are sent again. A cdc_sources.csv without the column is valid; a subquery is faster than a join.
    coalesce(not {{ is_format_with('format', 'has_log_position') }} and array_contains((
        select collect_set(cdc_sources.source_name) from {{ ref('cdc_sources') }} as cdc_sources
        where get_json_object(to_json(struct(cdc_sources.*)), '$.order_by') = 'position'
    ), source_name), false) as is_position_ordered_source
from (
    select
        events.*,
        {%- if settings %}
        -- Most tables have no rule, and the search is expensive.
        if(of_table.rules is null and of_source.rules is null, null, sort_array(filter(
            concat(coalesce(of_table.rules, array()), coalesce(of_source.rules, array())),
            rule -> (rule.database_name is null or rule.database_name = events.database_name)
                and (rule.schema_name is null or rule.schema_name = events.schema_name)
        ), false)) as rules
    from {{ events }} as events
    left join {{ ref('table_rules') }} as of_table
        on events.source_name = of_table.source_name and events.table_name = of_table.table_name
    left join {{ ref('table_rules') }} as of_source
        on events.source_name = of_source.source_name and of_source.table_name is null
        {%- else %}
        null as rules
    from {{ events }} as events
        {%- endif %}
)
{%- endmacro %}
