{#- Each column of the row key is a column of the row image. -#}
{% test has_key_in_image(model) %}
select
    source_name,
    format,
    table_name,
    row_key,
    change_id
from {{ model }}
where row_image is not null
    and source_name in {{ judged_sources() }}
    -- A key column may be found without regard to case.
    and size(array_except(json_object_keys(lower(row_key)), json_object_keys(lower(row_image)))) > 0
{% endtest %}
