{#-
    A change behind which nothing older counts, and of which the sequence alone tells what is older. Not so for Databus,
    where an older change may know the names of the key.
-#}
{% macro is_settled(change) -%}
(
    {{ is_base(change) }}
    and {{ change }}.change_order.phase = 1
    and {{ change }}.change_order.sequence is not null
    and not startswith(format, 'databus_')
)
{%- endmacro %}
