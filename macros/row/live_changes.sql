{#-
    Those of the changes of a row (an array of structs in their order) that make it up: what lies behind its last removal,
    from its last full or moved image on. None if the row is removed.
-#}
{% macro live_changes(changes) -%}
slice(
    {{ changes }},
    greatest(
        1,
        array_max(transform({{ changes }}, (change, place) -> if({{ is_removal('change') }}, place + 2, 0))),
        array_max(transform({{ changes }}, (change, place) -> if({{ starts_anew('change') }}, place + 1, 0)))
    ),
    size({{ changes }})
)
{%- endmacro %}
