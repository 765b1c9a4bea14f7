{#- The kinds of logical_value: logical types of Kafka Connect and Debezium. -#}
{% macro logical_kinds() -%}
{{ return([
    'date_days', 'time_millis', 'time_micros', 'time_nanos', 'timestamp_nanos', 'decimal_base64', 'decimal_struct',
    'bit_base64_little',
]) }}
{%- endmacro %}
