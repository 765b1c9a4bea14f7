{#- The most specific rule that fits a table; a test keeps two rules from being equally specific. -#}
{% macro matching_rule(table_rules, source_rules) -%}
get(
    sort_array(
        filter(
            concat(coalesce({{ table_rules }}, array()), coalesce({{ source_rules }}, array())),
            rule -> rule.key_columns is not null
                and (rule.database_name is null or rule.database_name = staged.database_name)
                and (rule.schema_name is null or rule.schema_name = staged.schema_name)
        ),
        false
    ),
    0
)
{%- endmacro %}
