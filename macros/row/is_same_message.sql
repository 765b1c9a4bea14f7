{% macro is_same_message(one, other) -%}
{{ one }}.batch_id <=> {{ other }}.batch_id
and {{ one }}.source_name <=> {{ other }}.source_name
and {{ one }}.topic <=> {{ other }}.topic
and {{ one }}.partition <=> {{ other }}.partition
and {{ one }}.offset <=> {{ other }}.offset
{%- endmacro %}
