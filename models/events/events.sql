{{ config(
    materialized='incremental',
    incremental_strategy='append',
    on_schema_change='fail',
    pre_hook=['{{ forget_replayed() }}'],
    post_hook=['{{ settle_replayed() }}'],
    tblproperties={
        'delta.dataSkippingStatsColumns':
            'batch_id,source_name,outcome,appended_at,event_at,sequence_number,fold_scope,ddl_kind',
    },
) }}

{#- Only the formats that have something unread: each branch costs planning time even when it is empty. -#}
{%- set unread = unread_batches() -%}
{%- set settings = unread.get('settings', rule_settings()) -%}
{%- if not unread.formats %}
    {{ nothing_new() }}
{%- else %} -- noqa: disable=LT02
with unioned as (
    {%- for format in unread.formats %}
        select * from {{ ref('stg_' ~ format ~ '__events') }}
        where {{ unread.condition }} {{ "union all" if not loop.last }}
    {%- endfor %}
),

-- What earlier runs appended, read in the transaction of the append: Delta refuses the second of two runs at once.
appended as (
    {{ appended_events() }}
),

-- A message is read once: it is unread while it has no events. Only batches with unread messages are looked at.
staged as (
    {{ unread_events('unioned', 'appended', unread.condition) | indent(4) }}
),

configured as (
    {{ configured_events(settings) | indent(4) }}
),

settled as (
    {{ settled_events('configured', settings) | indent(4) }}
),

keyed as (
    select
        *,
        {{ event_key(unread.formats, settings) | indent(8) }} as row_key,
        if(has_key_apart, message_key, row_image) is not null and size(keyed_by) > 0 and row_key is null
            as lacks_key_column,
        reason_code is not null or lacks_key_column as is_quarantined,
        if(is_quarantined, value, null) as unread_value
    from settled
),

numbered as (
    select
        * except (value),
        -- A copy that cannot be read takes nothing from one that can.
        row_number() over (
            partition by change_id, is_quarantined
            order by landed_at, batch_id, topic, partition, offset, event_index
        ) as copy_number
    from keyed
),

delivered as (
    {{ delivered_changes('appended', 'keyed', unread.get('are_few', false)) | indent(4) }}
),

judged as (
    select {{ "/*+ broadcast(delivered) */" if unread.get("are_few") else "/*+ merge(delivered) */" }}
        numbered.*,
        case
            when numbered.is_quarantined then 'quarantined'
            when delivered.change_id is not null or numbered.copy_number > 1 then 'duplicate'
            when numbered.change_type is not null then 'change'
            else 'control'
        end as outcome
    from numbered
    left join delivered on numbered.change_id = delivered.change_id
)

select
    {{ changelog_columns() | indent(4) }},
    outcome,
    if(lacks_key_column, if(has_key_apart, 'key_mismatch', 'key_column_missing'), reason_code) as reason_code,
    if(lacks_key_column, 'declared key: ' || size(keyed_by) || ' columns', reason_detail) as reason_detail,
    unread_value,
    control_kind,
    checkpoint_at,
    ddl_kind,
    ddl_text,
    ddl_meta_text,
    trim(ddl_text) = trim(ddl_meta_text) as is_ddl_text_consistent,
    fold_scope,
    is_soft_deleted,
    -- The fold asks these two of every change, and reading a map of every change is slow.
    source_metadata['event_key'] as event_key,
    source_metadata['before_hash'] as before_hash,
    -- Later than any append before, even if the clock went back: row_states goes by it.
    greatest(current_timestamp(), (select max(appended.appended_at) + interval 2 milliseconds from appended))
        as appended_at
from judged
{%- endif %}
