{#- Whether two relations speak of one message as it landed: a batch, a source and a position in it. -#}
{% macro is_same_message(one, other) -%}
{{ one }}.batch_id <=> {{ other }}.batch_id
and {{ one }}.source_name <=> {{ other }}.source_name
and {{ one }}.topic <=> {{ other }}.topic
and {{ one }}.partition <=> {{ other }}.partition
and {{ one }}.offset <=> {{ other }}.offset
{%- endmacro %}
