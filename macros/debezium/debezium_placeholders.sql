{#- Those of a text array and the like contain one of the first nine, which an image is searched for. A cdc_sources.csv
    without the column is valid. A scalar subquery instead of a join, so that staging cannot multiply messages. -#}
{% macro debezium_placeholders(source_name) -%}
(
    select
        transform(
            array(coalesce(max(configured.bytes), cast('__debezium_unavailable_value' as binary))),
            bytes -> transform(
                array(named_struct(
                    'text', cast(bytes as string),
                    'base64', {{ base64_text('bytes') }},
                    'md5', md5(bytes),
                    'numbers', transform(
                        sequence(1, octet_length(bytes)),
                        number -> cast(conv(hex(substring(bytes, number, 1)), 16, 10) as int)
                    )
                )),
                placeholder -> array(
                    -- As escaped text inside JSON; as bytes.
                    regexp_extract(to_json(array(placeholder.text)), r'^\["(.*)"\]\z', 1),
                    placeholder.base64,
                    translate(placeholder.base64, '+/', '-_'),
                    lower(hex(bytes)),
                    hex(bytes),
                    to_json(transform(placeholder.numbers, number -> if(number > 127, number - 256, number))),
                    -- An array of UUIDs: MD5 with the digits of version 3 and of the variant.
                    '["' || concat_ws('-',
                        substr(placeholder.md5, 1, 8),
                        substr(placeholder.md5, 9, 4),
                        '3' || substr(placeholder.md5, 14, 3),
                        substr('89ab', 1 + cast(conv(substr(placeholder.md5, 17, 1), 16, 10) as int) % 4, 1)
                        || substr(placeholder.md5, 18, 3),
                        substr(placeholder.md5, 21)
                    ) || '"]',
                    -- Two points, whatever the placeholder is.
                    '{"srid":4326,"wkb":"AQEAACDmEAAAAAAA/IPXl8EAAAD8g9eXwQ=="}',
                    '{"srid":4326,"wkb":"AQEAACDmEAAADCHn/f9/ZkAYQs77/39WQA=="}',
                    placeholder.text,
                    to_json(array(placeholder.text)),
                    to_json(array(placeholder.base64)),
                    to_json(map(placeholder.text, placeholder.text))
                )
            )[0]
        )[0]
    from (
        select
            nullif(get_json_object(to_json(struct(cdc_sources.*)), '$.unavailable_value'), '') as own_text,
            if(startswith(own_text, 'hex:'), unhex(nullif(substr(own_text, 5), '')), cast(own_text as binary)) as bytes
        from {{ ref('cdc_sources') }} as cdc_sources
        where cdc_sources.source_name = {{ source_name }}
    ) as configured
)
{%- endmacro %}
