{#- The one shape that sorts all changes of a table: compare two of them with < and >, as Spark compares structs. -#}
{% macro change_order(is_snapshot, sequence, serial, image_rank, event_index) -%}
named_struct(
    'phase', if({{ is_snapshot }}, 0, 1),
    'sequence', cast({{ sequence }} as decimal(38, 0)),
    'serial', cast({{ serial }} as decimal(38, 0)),
    'image_rank', {{ image_rank }},
    'topic', topic,
    'partition', partition,
    'offset', offset,
    'event_index', {{ event_index }}
)
{%- endmacro %}
