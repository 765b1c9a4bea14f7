-- The first copy of each change by its place, whichever landed first: what is shown must not depend on that.
with first_copies as (
    select
        *,
        struct(change_id, sequence_number, event_at) as this,
        row_number() over (partition by change_id order by change_order) as copy_number
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
            partition by
                source_name, format, database_name, schema_name, table_name, change_order.sequence div 1000
        ) as serial_of_the_second
    from first_copies
    where outcome in ('change', 'duplicate') and copy_number = 1 and change_order.phase = 1
),

-- Where the last digits of the number count, they go up by one per change, whatever the table, until the digits before
-- them change with a restart. Whatever has a number fills its place.
numbered as (
    select
        *,
        lag(this) over (
            partition by source_name, format order by sequence_number, change_order
        ) as before_by_number
    from first_copies
    where {{ is_format_with('format', 'counter_digits', [6]) }} and sequence_number is not null and copy_number = 1
),

ties as (
    select
        *,
        lag(struct(change_id, sequence_number, event_at)) over (
            partition by row_id, source_name, table_name order by change_number
        ) as other
    from {{ ref('row_changes_explained') }}
    where decided_by is not null
),

{%- set columns -%}
source_name, format, database_name, schema_name, table_name, row_key, change_id, change_type, sequence_number, event_at,
change_order
{%- endset %}

found as (
    select 'tie' as anomaly, {{ columns }}, other from ties
    where decided_by = 'tie'
    union all
    select 'time_regression' as anomaly, {{ columns }}, before_by_order from neighbours
    where event_at < before_by_order.event_at
    union all
    select 'sequence_regression' as anomaly, {{ columns }}, before_by_position.this from neighbours
    where change_order.sequence < before_by_position.change_order.sequence
        or (
            change_order.sequence = before_by_position.change_order.sequence
            and change_order.serial < before_by_position.change_order.serial
            and {{ is_format_with('format', 'order', ['second']) }}
        )
    union all
    select 'sequence_gap' as anomaly, {{ columns }}, before_by_number from numbered
    where sequence_number > before_by_number.sequence_number + 1
        and sequence_number div 1000000 = before_by_number.sequence_number div 1000000
    union all
    select 'no_serial_in_second' as anomaly, {{ columns }}, serial_of_the_second from neighbours
    where {{ is_format_with('format', 'order', ['second']) }}
        and change_order.serial is null and serial_of_the_second is not null
)

select
    * except (other),
    other.change_id as other_change_id,
    other.sequence_number as other_sequence_number,
    other.event_at as other_event_at
from found
