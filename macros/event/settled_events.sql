{#-
    A select of all columns of configured (a relation of configured_events), with change type, image and scope as the
    configuration makes them, and how the fold has to take the image (fold_scope, is_soft_deleted). settings are those
    that some rule gives.
-#}
{% macro settled_events(configured, settings) -%}
{%- set scope = configured ~ '.image_scope' -%}
{%- if 'lob_columns' in settings -%}
{%- set scope = "if(size(unchanged) > 0, 'partial', " ~ scope ~ ")" -%}
{%- endif -%}
select
    * except (change_type, row_image, image_scope),
    coalesce(configured_key_columns, key_columns) as keyed_by,
    {%- if 'lob_columns' in settings %}
        -- OMS sends a LOB that an update leaves alone as null in both images.
        array_intersect({{ configured }}.null_in_both, configured_lob_columns) as unchanged,
        coalesce(
            drop_columns(if(size(unchanged) > 0, {{ configured }}.row_image, null), unchanged), {{ configured }}.row_image
        ) as row_image,
    {%- else %}
        {{ configured }}.row_image,
    {%- endif %}
    {{ scope }} as image_scope,
    if({{ scope }} = 'full', coalesce(source_metadata['fold_scope'], 'full'), {{ scope }}) as fold_scope,
    {{ is_soft_deleted(configured ~ '.change_type', configured ~ '.row_image', 'configured_soft_delete_column') }}
        as is_soft_deleted,
    if(is_soft_deleted, 'delete', {{ configured }}.change_type) as change_type,
    -- Databus carries the key beside the value, so that a delete without a value has one too.
    startswith(format, 'databus_') as has_key_apart
from {{ configured }}
{%- endmacro %}
