{#-
    A change after which nothing of its row is left: a delete, but for soft ones that tell a part, or the image that a row
    had before it changed.
-#}
{% macro is_removal(change) -%}
({{ change }}.change_type in ('delete', 'update_preimage') and not {{ is_soft_delete_in_part(change) }})
{%- endmacro %}
