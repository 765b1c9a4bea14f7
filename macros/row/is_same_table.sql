{% macro is_same_table(one, other) -%}
{{ one }}.source_name = {{ other }}.source_name
and {{ one }}.format = {{ other }}.format
and {{ one }}.database_name <=> {{ other }}.database_name
and {{ one }}.schema_name <=> {{ other }}.schema_name
and {{ one }}.table_name <=> {{ other }}.table_name
{%- endmacro %}
