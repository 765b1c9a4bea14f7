{#- A setting of the most specific rule of table_keys.csv that fits the table and gives it, or null. -#}
{% macro configured(setting, table_rules, source_rules) -%}
if(
    -- Most tables have no rule, and the search below is no cheap one.
    {{ table_rules }} is null and {{ source_rules }} is null,
    null,
    get(
        transform(
            sort_array(
                filter(
                    concat(coalesce({{ table_rules }}, array()), coalesce({{ source_rules }}, array())),
                    rule -> rule.{{ setting }} is not null
                        and (rule.database_name is null or rule.database_name = staged.database_name)
                        and (rule.schema_name is null or rule.schema_name = staged.schema_name)
                ),
                false
            ),
            rule -> rule.{{ setting }}
        ),
        0
    )
)
{%- endmacro %}
