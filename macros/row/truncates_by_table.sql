{#- A select of one row per table with all its truncates, each at its place, as an array. -#}
{% macro truncates_by_table() -%}
select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    collect_list(struct(
        is_by_position,
        place.change_order.topic,
        place.change_order.partition,
        place.change_order,
        place.event_at,
        change_id
    )) as truncates
from ({{ placed_truncates() }})
group by source_name, format, database_name, schema_name, table_name
{%- endmacro %}
