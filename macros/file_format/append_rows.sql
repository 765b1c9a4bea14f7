{#-
    Appends the rows of a select to the table of the model. Of two builds at once the second is refused, because the
    select has read what the first one changed: Delta checks that for an append. Iceberg checks it only for a merge, in
    which a row that another build has appended since would be matched by its place.
-#}
{% macro append_rows(sql, step) -%}
{%- if is_iceberg() -%}
merge into {{ this }} as existing
using {{ merge_source(sql) }} as appended
    on existing.append_number > {{ step.since }}
    {%- for column in model.meta.identified_by %}
        and existing.{{ column }} <=> appended.{{ column }}
    {%- endfor %}
when matched then update set *
when not matched then insert *
{%- else -%}
insert into {{ this }} by name
{{ sql }}
{%- endif -%}
{%- endmacro %}
