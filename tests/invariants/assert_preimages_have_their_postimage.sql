{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_preimages_have_their_postimage_limit', 0),
    warn_if='> ' ~ var('assert_preimages_have_their_postimage_limit', 0),
) }}

-- Where the halves of an update come as two messages, they share their sequence, also if the key changes between them.
select
    preimages.source_name,
    preimages.table_name,
    preimages.row_key,
    preimages.sequence_number,
    preimages.change_id
from {{ ref('events') }} as preimages
left anti join {{ ref('events') }} as postimages
    on preimages.source_name = postimages.source_name
        and preimages.format = postimages.format
        and preimages.database_name <=> postimages.database_name
        and preimages.schema_name <=> postimages.schema_name
        and preimages.table_name = postimages.table_name
        and preimages.sequence_number = postimages.sequence_number
        and postimages.change_type = 'update_postimage'
        and postimages.outcome in ('change', 'duplicate')
where preimages.change_type = 'update_preimage'
    and preimages.outcome = 'change'
    and preimages.source_name in (select cdc_sources.source_name from {{ ref('cdc_sources') }} as cdc_sources)
    and preimages.format in ('datahub_tuple', 'datahub_blob')
    and preimages.sequence_number is not null
