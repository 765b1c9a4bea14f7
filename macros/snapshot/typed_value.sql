{#- One column text as a value of its type, or null if it does not fit exactly. Kinds beside SQL types: see the YAML. -#}
{% macro typed_value(text, type) -%}
{%- set kind = type | lower | replace(' ', '') -%}
{%- if kind == 'string' -%}
{{ text }}
{%- elif kind in ('timestamp_millis', 'timestamp_micros') -%}
{%- set per_milli = 1000 if kind == 'timestamp_millis' else 1 -%}
{#- Years 1 to 9999: what clients can read; timestamp_micros does not raise there. -#}
case
    when try_cast({{ text }} as bigint) between -62135596800000000 div {{ per_milli }} and 253402300799999999 div {{ per_milli }}
        then timestamp_micros(try_cast({{ text }} as bigint) * {{ per_milli }})
end
{%- elif kind == 'binary_base64' -%}
decode_base64({{ text }}).result
{%- elif kind == 'boolean' -%}
case lower({{ text }}) when 'true' then true when '1' then true when 'false' then false when '0' then false end
{%- elif kind.startswith('decimal(') -%}
{%- set scale = kind[8:-1].split(',')[1] if ',' in kind else '0' -%}
if({{ text }} rlike r'[eE]|\.\d{{ '{' ~ scale ~ '}' }}\d*[1-9]', null, try_cast({{ text }} as {{ kind }}))
{%- elif kind in ('double', 'float') -%}
{#- What is too large for the type would become infinite. -#}
if(abs(try_cast({{ text }} as {{ kind }})) < double('infinity'), try_cast({{ text }} as {{ kind }}), null)
{%- else -%}
try_cast({{ text }} as {{ kind }})
{%- endif -%}
{%- endmacro %}
