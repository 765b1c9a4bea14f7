{#- Numbers outside an object stay text: 10 and 1e1 may be two keys. -#}
{% macro record_key(key, opened_key) -%}
{%- set whole, payload = opened_key ~ '.members[0]', opened_key ~ '.members[1]' -%}
{%- set key_object -%}
case
        when json_object_keys({{ whole }}) <> array('payload', 'schema') then {{ whole }}
        when startswith({{ payload }}, '{') then {{ payload }}
        else '{"key":' || {{ payload }} || '}'
    end
{%- endset -%}
case
    when {{ opened_key }}.error_code is null then pick_key({{ key_object }}, json_object_keys({{ key_object }}))
    when coalesce(length({{ key }}), 0) = 0 then null
    when is_valid_utf8(cast({{ key }} as string)) then to_json(named_struct('key', cast({{ key }} as string)))
    else to_json(named_struct('key_base64', {{ base64_text(key) }}))
end
{%- endmacro %}
