{#-
    Appends the rows of a select to the table of the model. Of two concurrent builds the second fails, because its
    select has read data that the first one changed: Delta checks that for an append. Iceberg checks it only for a
    merge, so there the statement is a merge that matches rows by position.
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
