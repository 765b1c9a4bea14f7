{#-
    A soft delete by an image that may lack columns: the row may come back by an image that says no more than that.
-#}
{% macro is_soft_delete_in_part(change) -%}
coalesce({{ change }}.is_soft_deleted and {{ change }}.image_scope in ('given', 'partial'), false)
{%- endmacro %}
