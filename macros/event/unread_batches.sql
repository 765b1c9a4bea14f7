{#-
    What events has to read: the formats that have unread batches ('unsupported' stands for all without a staging model)
    and the condition that picks these batches. A batch is unread while it has fewer first events than messages. Batches
    are compared one by one, not with a watermark, so a batch that commits late is read late and not skipped. They stand
    in the statement as literals, because only literals let Delta skip the files of batches that were read before, and
    because a batch of two formats that commits meanwhile must be read whole or not at all. A full refresh of very many
    batches reads all formats instead. And the settings of table_keys.csv that a rule for one of their sources gives,
    whether they are so few messages that looking for them in events is cheaper than to bring both together, and whether
    some landed before what was read already. A hook that asks before the append gets the same answer.
-#}
{% macro unread_batches() -%}
{%- set table_keys = ref('table_keys') -%}
{%- set everything = {
    'formats': formats_with() | list + ['unsupported'],
    'condition': 'true',
    'settings': ['key_columns', 'lob_columns', 'soft_delete_column'],
    'are_few': false,
    'are_late': false,
} -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return(everything) }}
{%- elif 'unread_batches' in run_notes() -%}
    {{ return(run_notes().unread_batches) }}
{%- endif -%}
{%- set query -%}
select
    if({{ is_format_with('landed.format') }}, landed.format, 'unsupported') as format,
    landed.batch_id,
    landed.source_name,
    landed.messages,
    {{ 'landed.landed_at < (select max(landed_at) from ' ~ this ~ ')' if is_incremental() else 'false' }} as is_late
from (
    select format, batch_id, source_name, count(*) as messages, min(landed_at) as landed_at
    from {{ source('landing', 'messages') }}
    group by format, batch_id, source_name
) as landed
    {%- if is_incremental() %}
left join (
    select format, batch_id, source_name, count(*) as messages
    from {{ this }}
    where event_index = 0
    group by format, batch_id, source_name
) as known
    on landed.batch_id = known.batch_id
        and landed.source_name <=> known.source_name
        and landed.format <=> known.format
where landed.batch_id is not null and landed.messages > coalesce(known.messages, 0)
    {%- endif %}
{%- endset -%}
{%- set unread = run_query(query) -%}
{%- set batches = unread.columns[1].values() | unique | list -%}
{%- set found = {
    'formats': unread.columns[0].values() | unique | sort,
    'condition': 'batch_id in (' ~ sql_texts(batches) ~ ')',
    'settings': given_settings(table_keys, unread.columns[2].values() | unique) if batches else [],
    'are_few': unread.columns[3].values() | sum <= 100000,
    'are_late': true in unread.columns[4].values(),
} -%}
{%- if not batches -%}
    {%- do found.update({'formats': [] if is_incremental() else ['unsupported'], 'condition': 'false'}) -%}
{%- elif not is_incremental() and (none in batches or batches | length > 1000) -%}
    {%- set found = everything -%}
{%- endif -%}
{%- do run_notes().update({'unread_batches': found}) -%}
{{ return(found) }}
{%- endmacro %}
