{#- Where position is the order, a duplicate of a change that is known at an earlier position (first_order) of the same
    partition would move the change after newer ones. Across partitions, time orders both. -#}
{% macro scope_of_copies() -%}
if(
    {{ is_format_with('format', 'has_log_position') }} and topic <=> first_order.topic
        and partition <=> first_order.partition and change_order > first_order,
    'copy',
    fold_scope
) as fold_scope
{%- endmacro %}
