{#-
    Whether the row of a change is gone behind it: the change removes it, or of the changes that make the row up (an array
    in their order) the last one that says anything about it says that it is deleted.
-#}
{% macro is_gone(change, live_changes) -%}
(
    {{ is_removal(change) }}
    or coalesce(
        if(
            size({{ live_changes }}) = 1,
            get({{ live_changes }}, 0).is_soft_deleted,
            try_element_at(filter({{ live_changes }}, step -> step.is_soft_deleted is not null), -1).is_soft_deleted
        ),
        false
    )
)
{%- endmacro %}
