{#- What a rule of table_keys.csv may set, as columns of table_rules. -#}
{% macro rule_settings() -%}
{{ return(['key_columns', 'lob_columns', 'soft_delete_column']) }}
{%- endmacro %}
