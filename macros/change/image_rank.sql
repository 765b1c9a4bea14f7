{#-
    Preimage before postimage, for changes that a serial tells apart. Without one, all changes of a second are equal but
    for their position, and that alone must decide: a delete or a change of key comes after the insert it follows.
-#}
{% macro image_rank(side, serial) -%}
if({{ serial }} is not null and {{ side }} = 'preimage', 0, 1)
{%- endmacro %}
