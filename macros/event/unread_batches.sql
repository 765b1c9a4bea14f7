{#-
    What events has to read: the formats that have unread batches ('unsupported' stands for all without a staging model)
    and the condition that picks these batches. A batch is unread while it has fewer first events than messages. Batches
    are compared one by one, not with a watermark, so a batch that commits late is read late and not skipped. They stand
    in the statement as literals, because only literals let Delta skip the files of batches that were read before, and
    because a batch of two formats that commits meanwhile must be read whole or not at all. A full refresh of very many
    batches reads all formats instead. And the settings of table_keys.csv that a rule for one of their sources gives,
    and whether they are so few messages that looking for them in events is cheaper than to bring both together.
-#}
{% macro unread_batches() -%}
{%- set everything = {
    'formats': formats_with() | list + ['unsupported'],
    'condition': 'true',
    'settings': ['key_columns', 'lob_columns', 'soft_delete_column'],
    'are_few': false,
} -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return(everything) }}
{%- endif -%}
{%- set query -%}
select
    if({{ is_format_with('landed.format') }}, landed.format, 'unsupported') as format,
    landed.batch_id,
    landed.source_name,
    landed.messages
from (
    select format, batch_id, source_name, count(*) as messages
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
{%- if not batches -%}
    {{ return({
        'formats': [] if is_incremental() else ['unsupported'], 'condition': 'false', 'settings': [], 'are_few': true,
    }) }}
{%- elif not is_incremental() and (none in batches or batches | length > 1000) -%}
    {{ return(everything) }}
{%- endif -%}
{{ return({
    'formats': unread.columns[0].values() | unique | sort,
    'condition': 'batch_id in (' ~ sql_texts(batches) ~ ')',
    'settings': given_settings(unread.columns[2].values() | unique),
    'are_few': unread.columns[3].values() | sum <= 100000,
}) }}
{%- endmacro %}
