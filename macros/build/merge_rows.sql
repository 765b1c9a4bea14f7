{#-
    Merges the rows of a select into the table of the model, by its unique key. With the meta removes_rows, the select
    has a column row_is_deleted for the rows that are deleted from the table.
-#}
{% macro merge_rows(sql) -%}
{%- set key = config.require('unique_key') -%}
{%- set removes = config.get('meta', {}).get('removes_rows') -%}
merge into {{ this }} as existing
using {{ merge_source(sql) }} as changed
    on existing.{{ key }} = changed.{{ key }}
{%- if removes %}
when matched and changed.row_is_deleted then delete
{%- endif %}
when matched then update set *
when not matched{{ ' and not changed.row_is_deleted' if removes }} then insert *
{%- endmacro %}
