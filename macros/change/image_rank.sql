{#- Without a serial, changes of a second differ only in their position, so only the position may order them: a delete
    or primary-key update stays after the insert it follows. -#}
{% macro image_rank(side, serial) -%}
if({{ serial }} is not null and {{ side }} = 'preimage', 0, 1)
{%- endmacro %}
