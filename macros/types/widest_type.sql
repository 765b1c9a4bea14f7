{#- The widest of a column's types, in the order of their appearance, and the types that did not fit into it. -#}
{% macro widest_type(types) -%}
aggregate(
    {{ types }},
    cast(named_struct('type', {{ types }}[0], 'refused', array())
        as struct<type: string, refused: array<struct<change: string, type: string>>>),
    (kept, next) -> transform(
        array({{ type_change('kept.type', 'next') | indent(8) }}),
        change -> cast(named_struct(
            'type', if(change = 'widened', next, kept.type),
            'refused', if(change in ('narrowed', 'conflicting'),
                concat(kept.refused, array(named_struct('change', change, 'type', next))), kept.refused)
        ) as struct<type: string, refused: array<struct<change: string, type: string>>>)
    )[0]
)
{%- endmacro %}
