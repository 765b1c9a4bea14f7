{#- The changes that earlier runs kept for the rows that new changes touch, in the shape of new_changes. -#}
{% macro known_changes() -%}
{%- if is_incremental() -%}
select
    states.row_id,
    states.source_name,
    states.format,
    states.database_name,
    states.schema_name,
    states.table_name,
    states.row_key,
    kept as change,
    states.is_spread,
    states.appended_at
from {{ this }} as states
lateral view explode(states.kept_changes) exploded as kept
where states.row_id in (select touched.row_id from touched)
{%- else -%}
select * except (row_name) from new_changes where false
{%- endif -%}
{%- endmacro %}
