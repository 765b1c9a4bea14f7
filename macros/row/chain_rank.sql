{#-
    Which of the tied changes of a row is the last, by what they say themselves: 2 if none of the others starts from the
    state that it leads to. If each state is left again (a circle, such as an insert and its delete), a removal is the
    last (1), else nothing decides (0). Null, the same for all, where one of them does not say what it started from.
-#}
{% macro chain_rank(change, changes) -%}
case
    when {{ change }}.before_hash is null
        or exists(
            {{ changes }},
            other -> other.before_hash = 'unknown' and other.fold_order = {{ change }}.fold_order
        ) then null
    when not exists(
        {{ changes }},
        other -> other.before_hash = sha2(if({{ is_removal(change) }}, '', {{ change }}.row_image), 256)
            and other.fold_order = {{ change }}.fold_order
            and other.change_id <> {{ change }}.change_id
    ) then 2
    else if({{ is_removal(change) }}, 1, 0)
end
{%- endmacro %}
