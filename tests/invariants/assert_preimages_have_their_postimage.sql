{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_preimages_have_their_postimage_limit', 0),
    warn_if='> ' ~ var('assert_preimages_have_their_postimage_limit', 0),
) }}

-- Where the halves of an update come as two messages, they share their sequence, also if the key changes between them.
with halves as (
    select * from {{ ref('events') }}
    where format in ('datahub_tuple', 'datahub_blob')
        and sequence_number is not null
        and source_name in {{ judged_sources() }}
),

reached as (
    select
        source_name,
        topic,
        max(sequence_number) as sequence_number,
        max(landed_at) as landed_at,
        max(max(landed_at)) over (partition by source_name) as source_landed_at
    from halves
    group by source_name, topic, partition
),

-- A batch may end between the halves, and the second may be in another partition: a missing half counts once every
-- partition has passed it. A partition without messages for a day is ignored while others continue.
complete as (
    select
        source_name,
        topic,
        min(sequence_number) as sequence_number
    from reached
    where landed_at > source_landed_at - interval 1 day
    group by source_name, topic
)

select
    preimages.source_name,
    preimages.table_name,
    preimages.row_key,
    preimages.sequence_number,
    preimages.change_id
from halves as preimages
inner join complete
    on preimages.source_name = complete.source_name
        and preimages.topic = complete.topic
        and preimages.sequence_number < complete.sequence_number
-- Any other event with the number is the second half, including soft deletes and quarantined events.
left anti join halves as postimages
    on preimages.source_name = postimages.source_name
        and preimages.database_name <=> postimages.database_name
        and preimages.schema_name <=> postimages.schema_name
        and preimages.table_name = postimages.table_name
        and preimages.sequence_number = postimages.sequence_number
        and not postimages.change_type <=> 'update_preimage'
where preimages.change_type = 'update_preimage' and preimages.outcome = 'change'
