{#-
    Lists of names as one list: each name keeps its first position, and a new name is inserted after its predecessor in
    its own list (at the front without one). So no later list moves a name.
-#}
{% macro merged_names(lists) -%}
aggregate(
    {{ lists }},
    cast(array() as array<string>),
    (merged, names) -> aggregate(
        transform(names, (name, place) -> named_struct('name', name, 'previous', get(names, place - 1))),
        merged,
        (known, next) -> if(
            array_contains(known, next.name),
            known,
            array_insert(known, cast(coalesce(array_position(known, next.previous), 0) as int) + 1, next.name)
        )
    )
)
{%- endmacro %}
