{#-
    The rows whose state was appended behind a time (microseconds), in the shape of current_rows; those that do not live
    have neither image nor change. What lives is as current_rows says it; without a truncate, what is not deleted.
-#}
{% macro changed_rows(since, was_emptied) -%}
with judged as (
    select
        row_states.*,
        {{ is_live('row_states', 'table_truncates.newest_truncates') | indent(8) if was_emptied
            else 'not row_states.is_deleted' }} as is_live
    from {{ model_relation('row_states') }} as row_states
    {%- if was_emptied %}
    left join {{ model_relation('table_truncates') }} as table_truncates
        on {{ is_same_table('row_states', 'table_truncates') | indent(12) }}
    {%- endif %}
    where row_states.appended_at > timestamp_micros({{ since }} + 1000)
)

select
    source_name,
    database_name,
    schema_name,
    table_name,
    row_key,
    if(is_live, row_image, null) as row_image,
    if(is_live, last_change_id, null) as last_change_id,
    sequence_number,
    event_at
from judged
{%- endmacro %}
