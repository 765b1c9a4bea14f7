{{ config(
    materialized='incremental',
    incremental_strategy='append',
    on_schema_change='fail',
    pre_hook=['{{ forget_replayed() }}'],
    post_hook=['{{ settle_replayed() }}'],
    tblproperties={
        'delta.dataSkippingStatsColumns': 'batch_id,source_name,outcome,appended_at,event_at,sequence_number',
    },
) }}

{%- set unread = unread_batches() -%}
-- Only the formats that have something unread: each branch costs planning time even when it is empty.
with unioned as (
    {%- for format in unread.formats %}
        select * from {{ ref('stg_' ~ format ~ '__events') }}
        where {{ unread.condition }}
        {{ "union all" if not loop.last }}
    {%- endfor %}
),

-- What earlier runs appended. It is read inside this statement, in the transaction of the append, so that Delta
-- refuses the second of two runs at once.
appended as (
    {{ appended_events() }}
),

-- A message is read once: it is unread while it has no events. Only batches with unread messages are looked at.
staged as (
    {{ unread_events('unioned', 'appended', unread.condition) | indent(4) }}
),

configured as (
    select
        staged.* except (change_type, row_image, image_scope),
        {{ configured('key_columns', 'table_rules.rules', 'source_rules.rules') }} as configured_key,
        {{ configured('lob_columns', 'table_rules.rules', 'source_rules.rules') }} as lob_columns,
        coalesce(configured_key, staged.key_columns) as keyed_by,
        -- OMS sends a LOB that an update leaves alone as null in both images.
        array_intersect(staged.null_in_both, lob_columns) as unchanged,
        coalesce(drop_columns(if(size(unchanged) > 0, staged.row_image, null), unchanged), staged.row_image)
            as row_image,
        if(size(unchanged) > 0, 'partial', staged.image_scope) as image_scope,
        {{ configured('soft_delete_column', 'table_rules.rules', 'source_rules.rules') }} as soft_delete_column,
        {{ is_soft_deleted('staged.change_type', 'staged.row_image', 'soft_delete_column') }} as is_soft_deleted,
        if(is_soft_deleted, 'delete', staged.change_type) as change_type
    from staged
    left join {{ ref('table_rules') }} as table_rules
        on staged.source_name = table_rules.source_name and staged.table_name = table_rules.table_name
    left join {{ ref('table_rules') }} as source_rules
        on staged.source_name = source_rules.source_name and source_rules.table_name is null
),

keyed as (
    select
        *,
        -- Databus carries the key beside the value, so that a delete without a value has one too.
        startswith(format, 'databus_') as has_key_apart,
        if(has_key_apart, message_key, row_image) as keyed_text,
        coalesce(
            pick_key(if(has_key_apart, null, row_image), keyed_by),
            name_key(if(has_key_apart, message_key, null), keyed_by),
            if(coalesce(size(keyed_by), 0) = 0, message_key, null)
        ) as row_key,
        keyed_text is not null and size(keyed_by) > 0 and row_key is null as lacks_key_column,
        reason_code is not null or lacks_key_column as is_quarantined,
        if(is_quarantined, value, null) as unread_value,
        read_ddl_text(ddl_meta).result as ddl_meta_text
    from configured
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
    select change_id from appended
    where outcome in ('change', 'control')
),

judged as (
    select
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
    -- Later than any append before, even if the clock went back: row_states goes by it.
    greatest(
        current_timestamp(), (select max(appended.appended_at) + interval 1 microsecond from appended)
    ) as appended_at
from judged
