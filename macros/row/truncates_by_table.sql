{#- A select of one row per table with all its truncates, each at the first position of its copies, as an array. -#}
{% macro truncates_by_table() -%}
select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    collect_list(struct(
        is_by_position,
        first_copy.change_order.topic,
        first_copy.change_order.partition,
        first_copy.change_order,
        first_copy.event_at,
        change_id
    )) as truncates
from ({{ first_truncates() }})
group by source_name, format, database_name, schema_name, table_name
{%- endmacro %}
