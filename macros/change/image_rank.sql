{#- Without a serial, changes of a second differ only in their position, so only the position may order them: a delete
    or primary-key update stays after the insert it follows. The image of a delete is not a half of an update. -#}
{% macro image_rank(operation_kind, side, serial) -%}
if({{ serial }} is not null and {{ operation_kind }} <> 'delete' and {{ side }} = 'preimage', 0, 1)
{%- endmacro %}
