{#-
    The condition that picks the batches that events has not read yet. Batches are compared one by one, not with a
    watermark, so a batch that commits late is read late and not skipped. The list stands in the statement as literals,
    because only literals let Delta skip the files of batches that were read before.
-#}
{% macro unread_batches() -%}
{%- if not (execute and is_incremental()) or flags.WHICH not in ('run', 'build') -%}
true
{%- else -%}
    {%- set query -%}
select distinct batch_id from {{ source('landing', 'messages') }} where batch_id is not null
except
select distinct batch_id from {{ this }}
    {%- endset -%}
    {%- set batches = run_query(query).columns[0].values() | list -%}
    {%- if batches | length == 0 -%}
false
    {%- else -%}
batch_id in ({% for batch in batches %}{{ sql_text(batch) }}{{ ", " if not loop.last }}{% endfor %})
    {%- endif -%}
{%- endif -%}
{%- endmacro %}
