{#-
    A select of the fresh_changes that may change a row, with what earlier runs know of these rows and may still count. news
    is what new_events gives.
-#}
{% macro with_known_changes(news) -%}
{%- if is_incremental() -%}
with known_rows as (
    {{ known_rows(news) }}
)

select /*+ {{ news.join }}(unchanged) */ fresh_changes.*
from fresh_changes
left anti join (select row_id from known_rows where what_counts = 'known') as unchanged
    on fresh_changes.row_id = unchanged.row_id
union all
{{ known_changes(news) }}
{%- else -%}
select * from fresh_changes
{%- endif -%}
{%- endmacro %}
