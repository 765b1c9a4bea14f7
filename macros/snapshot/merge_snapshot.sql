{#- Brings the rows that changed since its last build into a typed snapshot: its own SQL, over these rows alone. -#}
{% macro merge_snapshot(news) -%}
merge into {{ this }} as standing
using {{ merge_source(snapshot_of_rows('(' ~ changed_rows(news.since, news.was_emptied) ~ ')')) }} as changed
    on standing.row_key = changed.row_key
when matched and changed.last_change_id is null then delete
when matched then update set *
when not matched and changed.last_change_id is not null then insert *
{%- endmacro %}
