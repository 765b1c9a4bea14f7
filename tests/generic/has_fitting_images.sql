{#- A row, a key and an image are present if the kind of change requires them, else absent. -#}
{% test has_fitting_images(model) %}
select
    source_name,
    format,
    change_type,
    control_kind,
    image_scope,
    change_id
from {{ model }}
where outcome <> 'quarantined'
    and source_name in {{ judged_sources() }}
    and (
        (row_image is null) <> (image_scope = 'none')
        or case
            when change_type in ('insert', 'upsert', 'update_postimage') then image_scope not in ('full', 'partial')
            when change_type = 'update_preimage' then row_image is null
            -- Databus deletes may name their key only.
            when change_type = 'delete' then row_image is null and row_key is null
            -- Truncates, heartbeats and other events without a row.
            else row_image is not null or row_key is not null
        end
    )
{% endtest %}
