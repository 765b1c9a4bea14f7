{#-
    Merges the rows of a select into the table of the model, by its unique key. A select that has a column is_removed
    (config removes_rows) also says which rows leave the table.
-#}
{% macro merge_rows(sql) -%}
{%- set key = config.require('unique_key') -%}
{%- set removes = config.get('meta', {}).get('removes_rows') -%}
merge into {{ this }} as existing
using {{ merge_source(sql) }} as changed
    on existing.{{ key }} = changed.{{ key }}
{%- if removes %}
when matched and changed.is_removed then delete
{%- endif %}
when matched then update set *
when not matched{{ ' and not changed.is_removed' if removes }} then insert *
{%- endmacro %}
