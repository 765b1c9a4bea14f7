-- The fold, checked without its own code: no keyed change in the changelog is newer than the state of its row.
select
    changelog.change_id,
    changelog.row_key,
    changelog.change_order,
    row_states.change_order as folded_order
from {{ ref('changelog') }} as changelog
left outer join {{ ref('row_states') }} as row_states
    on changelog.source_name = row_states.source_name
        and changelog.format = row_states.format
        and changelog.database_name <=> row_states.database_name
        and changelog.schema_name <=> row_states.schema_name
        and changelog.table_name <=> row_states.table_name
        and changelog.row_key = row_states.row_key
where changelog.row_key is not null
    and changelog.change_type <> 'truncate'
    and (
        row_states.row_id is null
        -- Position does not compare over partitions, so formats without a sequence are not checked further.
        -- Where changes say what they started from, that goes before the serial.
        or (
            changelog.change_order.sequence is not null
            and struct(
                changelog.change_order.phase,
                changelog.change_order.sequence,
                if(changelog.source_metadata['before_hash'] is null, changelog.change_order.serial, null),
                changelog.change_order.image_rank
            ) > struct(
                row_states.change_order.phase,
                row_states.change_order.sequence,
                if(changelog.source_metadata['before_hash'] is null, row_states.change_order.serial, null),
                row_states.change_order.image_rank
            )
        )
    )
