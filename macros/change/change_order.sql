{#- Spark compares structs with < and > field by field. -#}
{% macro change_order(is_snapshot, sequence, serial, image_rank) -%}
named_struct(
    'phase', if({{ is_snapshot }}, 0, 1),
    'sequence', cast({{ sequence }} as decimal(38, 0)),
    'serial', cast({{ serial }} as decimal(38, 0)),
    'image_rank', {{ image_rank }},
    'topic', topic,
    'partition', partition,
    'offset', offset,
    'event_index', event_index
)
{%- endmacro %}
