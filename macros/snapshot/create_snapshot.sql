{#-
    Makes all of a typed snapshot in one commit, its state among the properties. Of a table that was never emptied the
    rows that are not deleted live: current_rows would look for truncates in all events.
-#}
{% macro create_snapshot(news) -%}
{%- set live_rows = '(select * from ' ~ model_relation('row_states') ~ ' where not is_deleted)' -%}
create or replace table {{ this }}
    {{ file_format_clause() }}
    {{ partition_cols(label='partitioned by') }}
    {{ clustered_cols(label='clustered by') }}
    {{ location_clause() }}
    {{ comment_clause() }}
    {{ state_properties(news.state, file_properties()) }}
as
{{ sql if news.was_emptied else snapshot_of_rows(live_rows) }}
{%- endmacro %}
