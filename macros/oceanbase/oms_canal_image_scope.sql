{#- Whether a Canal image is the whole row. An update of MINIMAL or NOBLOB row images names only the columns that it
    has, in `mysqlType` too. A part of the row shows itself in three ways: the types name a column that the row lacks;
    `old` is empty, though the binlog never logs an update that changes nothing, so the changed columns must be missing;
    a change of key tells nothing but the key and what changed. -#}
{% macro oms_canal_image_scope() -%}
case
    when image is null then 'none'
    when operation_kind in ('insert', 'upsert') then 'full'
    when image.old = '{}' then 'partial'
    when size(array_except(
        json_object_keys(mysql_type),
        map_keys(read_columns(if(operation_kind in ('update', 'delete'), image.data, null)))
    )) > 0 then 'partial'
    when operation_kind = 'update'
        and arrays_overlap({{ json_names('lower(key_names)') }}, json_object_keys(lower(image.old)))
        and size(array_except(
            array_except(json_object_keys(lower(image.data)), json_object_keys(lower(image.old))),
            {{ json_names('lower(key_names)') }}
        )) = 0 then 'partial'
    else 'full'
end
{%- endmacro %}
