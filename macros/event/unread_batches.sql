{#-
    What events has to read: the formats that have unread batches, or such with messages to replay ('unsupported' stands
    for all without a staging model), and the condition that picks these batches. Batches are compared one by one, not
    with a watermark, so a batch that commits late is read late and not skipped. They stand in the statement as literals, because only literals let Delta
    skip the files of batches that were read before, and because a batch of two formats that commits meanwhile must be
    read whole or not at all. A full refresh of very many batches reads all formats instead. And the settings of
    table_keys.csv that a rule for one of their sources gives, and whether they are so few messages that looking for
    them in events is cheaper than to bring both together.
-#}
{% macro unread_batches() -%}
{%- set bare_names = supported_formats() | replace("'", '') | replace('(', '') | replace(')', '') -%}
{%- set everything = {'formats': (bare_names.split(',') | map('trim') | list) + ['unsupported'], 'condition': 'true'} -%}
{%- do everything.update({'settings': rule_settings(), 'are_few': false}) -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return(everything) }}
{%- endif -%}
{%- set query -%}
with landed as (
    select
        if(format in {{ supported_formats() }}, format, 'unsupported') as format,
        batch_id,
        source_name,
        count(*) as messages
    from {{ source('landing', 'messages') }}
    group by 1, 2, 3
)

select landed.* from landed
    {%- if is_incremental() %}
left anti join (select distinct batch_id from {{ this }}) as known on landed.batch_id = known.batch_id
where landed.batch_id is not null
union
select landed.* from landed
inner join ({{ pending_replays(this) }}) as pending on landed.batch_id = pending.batch_id
    {%- endif %}
{%- endset -%}
{%- set unread = run_query(query) -%}
{%- set formats = unread.columns[0].values() | unique | sort -%}
{%- set batches = unread.columns[1].values() | unique | list -%}
{%- if not batches -%}
    {{ return({
        'formats': [] if is_incremental() else ['unsupported'], 'condition': 'false', 'settings': [], 'are_few': true,
    }) }}
{%- elif not is_incremental() and (none in batches or batches | length > 1000) -%}
    {{ return(everything) }}
{%- endif -%}
{%- set literals = [] -%}
{%- for batch in batches -%}
    {%- do literals.append(sql_text(batch)) -%}
{%- endfor -%}
{{ return({
    'formats': formats,
    'condition': 'batch_id in (' ~ literals | join(', ') ~ ')',
    'settings': given_settings(unread.columns[2].values() | unique),
    'are_few': unread.columns[3].values() | sum <= 100000,
}) }}
{%- endmacro %}
