{#-
    The changes that earlier runs kept for the known_rows that need them, in the shape of new_changes, and for those of tables
    with a new truncate that may stand between them. Where no row needs any, as is mostly so, nothing is read. news is what
    new_events gives.
-#}
{% macro known_changes(news) -%}
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
from (
    select /*+ {{ news.join }}(refolded) */ states.*
    from {{ this }} as states
    left semi join (
        select row_id from known_rows
        where what_counts = 'both'
        {%- if news.truncates != 0 %}
        union all
        select states.row_id
        from {{ this }} as states
        left semi join (
            select * from {{ ref('events') }}
            where {{ news.condition }}
                and outcome in ('change', 'duplicate')
                and change_type = 'truncate'
        ) as truncates on {{ is_same_table('states', 'truncates') | indent(12) }}
        where states.kept_changes is not null
        {%- endif %}
    ) as refolded on states.row_id = refolded.row_id
) as states
lateral view explode(coalesce(states.kept_changes, array({{ last_change('states') }}))) exploded as kept
{%- endmacro %}
