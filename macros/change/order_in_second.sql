{#- The two lengths of prefix compare with each other. Text and integers only: a double would lose the serial. -#}
{% macro order_in_second(sequence_text, event_seconds) -%}
{%- set starts_with_second -%}
{{ sequence_text }} rlike r'^[0-9]{11,15}\z'
        and abs(cast(left({{ sequence_text }}, 10) as bigint) - {{ event_seconds }}) <= 86400
{%- endset -%}
{%- set starts_with_millisecond -%}
{{ sequence_text }} rlike r'^[0-9]{16,38}\z'
        and abs(cast(left({{ sequence_text }}, 13) as bigint) - {{ event_seconds }} * 1000) <= 86400000
{%- endset -%}
named_struct(
    'sequence', cast(case
        when {{ starts_with_second }} then cast(left({{ sequence_text }}, 10) as bigint) * 1000
        when {{ starts_with_millisecond }} then cast(left({{ sequence_text }}, 13) as bigint)
        else {{ event_seconds }} * 1000
    end as decimal(38, 0)),
    'serial', cast(case
        when {{ starts_with_second }} then substr({{ sequence_text }}, 11)
        when {{ starts_with_millisecond }} then substr({{ sequence_text }}, 14)
        when {{ sequence_text }} rlike r'^[0-9]{1,38}\z' then {{ sequence_text }}
    end as decimal(38, 0))
)
{%- endmacro %}
