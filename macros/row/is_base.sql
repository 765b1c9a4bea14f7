{#-
    A change behind which nothing older counts. Not a preimage: its postimage may come later, as a partial image that
    needs what was there before.
-#}
{% macro is_base(change) -%}
(({{ change }}.change_type = 'delete' and not {{ is_soft_delete_in_part(change) }}) or {{ starts_anew(change) }})
{%- endmacro %}
