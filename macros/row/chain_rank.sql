{#-
    Which of the tied changes of a row is the last, by what they say themselves: the one whose state none of the others
    starts from (rank 1). If each state is left again (a circle, such as an insert and its delete) the serial decides,
    then a removal is the last. Null, the same for all, where one of them does not say what it started from.
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
    ) then struct(1 as rank, null as serial, false as is_removal)
    else struct(0 as rank, {{ change }}.change_order.serial as serial, {{ is_removal(change) }} as is_removal)
end
{%- endmacro %}
