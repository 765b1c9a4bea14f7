{#-
    The column fold_scope of a build that reads copies of earlier changes: 'copy' of a change that its partition has at
    an earlier position, first_order. Where position orders the changes, such a copy would take its change past newer
    ones. In another partition the time orders both.
-#}
{% macro scope_of_copies() -%}
if(
    {{ is_format_with('format', 'has_log_position') }} and topic <=> first_order.topic
        and partition <=> first_order.partition and change_order > first_order,
    'copy',
    fold_scope
) as fold_scope
{%- endmacro %}
