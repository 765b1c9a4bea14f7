{{ config(materialized='incremental_table', meta={
    'identified_by': ['batch_id', 'source_name', 'topic', 'partition', 'offset', 'event_index'],
    'skipped_by': [
        'batch_id', 'source_name', 'outcome', 'append_number', 'event_at', 'sequence_number', 'fold_scope', 'ddl_kind',
    ]}) }}
{%- do check_loaded_seeds(['cdc_sources', 'databus_sources', 'table_keys']) -%}
{%- set unread = batches_to_read() -%}
{%- set action = 'rebuild' if not can_continue() else 'skip' if unread.messages == 0 else 'append' -%}
{%- set has_late_copies = can_continue() and unread.formats | select('in', formats_with('has_log_position')) | list -%}
{{ build_step(action, rows=unread.messages, since=unread.since, append=unread.since + 1) }}
-- noqa: disable=LT02,LT09,LT14,ST05
-- Only the formats with unread messages (ADR 0012): each branch costs planning time even when it is empty.
with unioned as (
    {%- for format in unread.formats %}
        select * from {{ ref('stg_' ~ format ~ '__events') }}
        where {{ unread.condition }} {{ "union all" if not loop.last }}
    {%- endfor %}
),

-- The appends of earlier builds, read in the transaction of this one: the second of two concurrent builds fails.
appended as (
    {%- if can_continue() %}
        select * from {{ this }}
    {%- else %}
        select '' as change_id, '' as batch_id, '' as source_name, '' as topic, 0 as partition, 0L as offset,
            '' as outcome, 0L as append_number where false
    {%- endif %}
),

-- Each message is read once: it is unread as long as it has no events.
fresh as (
    select unioned.* from unioned
    left anti join (select * from appended where {{ unread.condition }}) as known
        on {{ is_same_message('unioned', 'known') | indent(12) }}
),

settled as (
    {{ settled_events('fresh', unread.settings) | indent(4) }}
),

keyed as (
    select
        * except (value),
        {{ event_key(unread.formats, unread.settings) | indent(8) }} as found_key,
        if({{ is_null_key('found_key') | indent(8) }}, null, found_key) as row_key,
        -- Staging has validated the message; these two checks depend on the configuration.
        if(has_event_key, message_key, row_image) is not null and size(keyed_by) > 0 and found_key is null as lacks_key,
        change_type is not null and not is_position_ordered_source
        and coalesce(change_order.sequence, change_order.serial) is null
        and not {{ is_format_with('format', 'needs_order', ['never']) }}
        and (not is_snapshot or {{ is_format_with('format', 'needs_order', ['always']) }}) as lacks_order,
        case
            when reason_code is not null then struct(reason_code as code, reason_detail as detail)
            when lacks_key then struct(
                if(has_event_key, 'key_mismatch', 'key_column_missing') as code,
                'declared key: ' || concat_ws(', ', keyed_by) || if(has_event_key, '', '; found: '
                || concat_ws(', ', slice(json_object_keys(row_image), 1, 20))) as detail
            )
            when lacks_order then struct('missing_sequence' as code, 'order of ' || format as detail)
        end as reason,
        -- Here, because the shuffle and the sort that follow would carry the whole message otherwise.
        if(reason is null, null, value) as unread_value
        {%- if unread.copies == 'look up' %},
        -- A non-deterministic column stops Spark from evaluating this CTE again for `delivered`.
        uuid() as reading
        {%- endif %}
    from settled
),

numbered as (
    select
        *,
        -- An unreadable copy does not make a readable one a duplicate.
        row_number() over (
            partition by change_id, reason is null
            order by landed_at, batch_id, topic, partition, offset, event_index
        ) as copy_number
    from keyed
),

delivered as (
    select {{ "/*+ broadcast(keyed) */" if unread.copies == 'look up' }} appended.change_id,
        {{ "min(appended.change_order) as first_order, bool_or(appended.outcome <> 'duplicate')" if has_late_copies
            else 'true' }} as is_delivered
    from appended
    {%- if unread.copies == 'look up' %}
    left semi join keyed on appended.change_id = keyed.change_id
    {%- endif %}
    where appended.outcome in ('change', 'control' {{- ", 'duplicate'" if has_late_copies }})
    {{ 'group by appended.change_id' if has_late_copies }}
),

judged as (
    select /*+ {{ 'merge' if unread.copies == 'merge' else 'broadcast' }}(delivered) */
        numbered.*,
        {{ 'delivered.first_order,' if has_late_copies }} case
            when numbered.reason is not null then 'quarantined'
            when delivered.is_delivered or numbered.copy_number > 1 then 'duplicate'
            when numbered.change_type is not null then 'change'
            else 'control'
        end as outcome,
        -- One higher than the highest in the table at the time of the append, usually the one recorded in the manifest.
        coalesce((
            select max(appended.append_number) from appended where appended.append_number > {{ unread.since }}
        ), {{ unread.since }}) + 1 as append_number
    from numbered
    left join delivered on numbered.change_id = delivered.change_id
)

select
    change_id, source_name, format, database_name, schema_name, table_name, row_key, change_type, is_snapshot,
    row_image, image_scope, source_operation, sequence_number, event_at, emitted_at, transaction_id, change_order,
    topic, partition, offset, event_index, landed_at, batch_id, source_metadata, append_number, outcome,
    reason.code as reason_code, reason.detail as reason_detail, unread_value, control_kind, checkpoint_at, ddl_kind,
    ddl_text, ddl_meta_text, trim(ddl_text) = trim(ddl_meta_text) as is_ddl_text_consistent,
    {{ scope_of_copies() if has_late_copies else 'fold_scope' }}, is_soft_deleted,
    if(has_event_key, message_key, null) as event_key, before_hash, is_ordered_by_position, missing_columns,
    may_change_key, current_timestamp() as appended_at
from judged
