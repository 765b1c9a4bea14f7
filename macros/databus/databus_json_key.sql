{#- The key of an event in a JSON form, as `read_databus` writes the key of the same event in binary. -#}
{% macro databus_json_key() -%}
case
    when is_valid_utf8(cast(decoded_key.result as string))
        then to_json(named_struct('key', cast(decoded_key.result as string)))
    -- base64 breaks its text into lines.
    when decoded_key.result is not null
        then to_json(named_struct('key_base64', replace(base64(decoded_key.result), '\r\n', '')))
    -- The V2 writer gives a schema key as the text of its object, with the bytes at its end.
    when key_kind = 'Schema' and key_text rlike r'Value=0x([0-9A-Fa-f]{2})*\z'
        then to_json(named_struct('key_base64', replace(
            base64(unhex(regexp_extract(key_text, r'Value=0x([0-9A-Fa-f]*)\z', 1))), '\r\n', ''
        )))
    when coalesce(key_kind, 'Number') = 'Number' and key_text rlike r'^-?[0-9]{1,19}\z'
        then '{"key":' || cast(cast(key_text as decimal(38, 0)) as string) || '}'
    when key_text is not null then to_json(named_struct('key', key_text))
end
{%- endmacro %}
