-- The first readable copy of each change by position: the result must not depend on which copy landed first.
with first_copies as (
    select
        *,
        struct(change_id, sequence_number, event_at) as this,
        row_number() over (partition by change_id, outcome = 'quarantined' order by change_order) as copy_number
    from {{ ref('events') }}
),

neighbours as (
    select
        *,
        lag(struct(this, change_order)) over (
            partition by source_name, format, change_order.topic, change_order.partition
            order by change_order.offset, change_order.event_index
        ) as before_by_position,
        lag(this) over (
            partition by
                source_name, format, database_name, schema_name, table_name, change_order.topic, change_order.partition
            order by change_order
        ) as before_by_order,
        min(if(change_order.serial is not null, this, null)) over (
            partition by source_name, format, database_name, schema_name, table_name, change_order.sequence div 1000
        ) as serial_of_the_second
    from first_copies
    where outcome in ('change', 'duplicate') and copy_number = 1 and change_order.phase = 1
),

-- The last digits (counter_digits) increase by one per change of any table, until a restart. All outcomes count.
numbered as (
    select
        *,
        lag(this) over (partition by source_name, format order by sequence_number, change_order) as before_by_number
    from first_copies
    where {{ is_format_with('format', 'counter_digits', [6]) }} and sequence_number is not null and copy_number = 1
),

ties as (
    select
        *,
        lag(struct(change_id, sequence_number, event_at))
            over (partition by row_id, source_name, table_name order by change_number) as other
    from {{ ref('row_changes_explained') }}
    where decided_by is not null
),

-- With the key columns of the newest change of the table. A key without names is never different.
keyed_rows as (
    select
        *,
        last_change_id as change_id,
        last_change_type as change_type,
        json_object_keys(row_key) as key_names,
        max_by(
            struct(last_change_id as change_id, sequence_number, event_at, json_object_keys(row_key) as key_names),
            struct(change_order.phase, change_order.sequence, event_at, change_order)
        ) over (partition by source_name, format, database_name, schema_name, table_name) as newest
    from {{ ref('row_states') }}
    where not ({{ is_format_with('format', 'has_event_key') }} and {{ is_unnamed_key('row_key') }})
),

{%- set columns -%}
source_name, format, database_name, schema_name, table_name, row_key, change_id, change_type, sequence_number, event_at,
change_order
{%- endset %}

found as (
    select 'tie' as anomaly, {{ columns }}, other from ties
    where decided_by = 'tie'
    union all
    select anomaly, {{ columns }}, other from neighbours
        lateral view inline(array_compact(array(
            if(
                event_at < before_by_order.event_at,
                struct('time_regression' as anomaly, before_by_order as other), null
            ),
            if(
                change_order.sequence < before_by_position.change_order.sequence
                or (
                    change_order.sequence = before_by_position.change_order.sequence
                    and change_order.serial < before_by_position.change_order.serial
                    and {{ is_format_with('format', 'order', ['second']) }}
                ),
                struct('sequence_regression' as anomaly, before_by_position.this as other), null
            ),
            if(
                change_order.sequence is not null and change_order.serial is null
                and serial_of_the_second is not null and {{ is_format_with('format', 'order', ['second']) }},
                struct('no_serial_in_second' as anomaly, serial_of_the_second as other), null
            )
        ))) anomalies as anomaly, other
    union all
    select 'sequence_gap' as anomaly, {{ columns }}, before_by_number from numbered
    where sequence_number > try_add(before_by_number.sequence_number, 1)
        and sequence_number div 1000000 = before_by_number.sequence_number div 1000000
    union all
    select
        'other_key_columns' as anomaly, {{ columns }},
        struct(newest.change_id, newest.sequence_number, newest.event_at) as other
    from keyed_rows
    where not is_deleted and key_names <> newest.key_names
)

select
    * except (other),
    other.change_id as other_change_id,
    other.sequence_number as other_sequence_number,
    other.event_at as other_event_at
from found
