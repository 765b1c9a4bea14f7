{#-
    Appends the rows of a select to events, where of two builds at once the second is refused: else both would append
    the same messages. Delta refuses an append that has read what another changed. Iceberg does not look at what an
    append has read, but it looks at a merge: a message that another build appended would have been matched by its
    place.
-#}
{% macro append_events(sql) -%}
{%- if is_iceberg() -%}
{%- set batches = unread_messages().groups | map(attribute='batch_id') | unique(case_sensitive=true) -%}
merge into {{ this }} as standing
using {{ merge_source(sql) }} as news
    on standing.batch_id in ({{ sql_texts(batches) }})
    {%- for column in ('batch_id', 'source_name', 'topic', 'partition', 'offset', 'event_index') %}
        and standing.{{ column }} <=> news.{{ column }}
    {%- endfor %}
when matched then update set *
when not matched then insert *
{%- else -%}
insert into {{ this }} by name
{{ sql }}
{%- endif -%}
{%- endmacro %}
