{% macro typed_value(text, kind, time_zone="'UTC'", declared_type='null', is_cut=false, is_number='false') -%}
{%- set name = kind.split('(')[0] | trim -%}
{%- if name == 'string' -%}
{{ text }}
{%- elif name == 'boolean' -%}
case lower({{ text }}) when 'true' then true when '1' then true when 'false' then false when '0' then false end
{%- elif name in ('tinyint', 'smallint', 'int', 'bigint') -%}
if({{ text }} rlike r'^[+-]?[0-9]+\z', try_cast({{ text }} as {{ name }}), null)
{%- elif name == 'decimal' -%}
{{ exact_decimal(text, kind) }}
{%- elif name in ('float', 'double') -%}
{#- Null if it would become infinite, or zero without being zero. -#}
{%- set number = 'try_cast(' ~ text ~ ' as ' ~ name ~ ')' -%}
if(
    {{ text }} rlike r'^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,4})?\z'
    and abs({{ number }}) < double('infinity')
    and ({{ number }} <> 0 or not {{ text }} rlike r'^[^eE]*[1-9]'),
    {{ number }},
    null
)
{%- elif name == 'date' -%}
if({{ text }} rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}\z', try_cast({{ text }} as date), null)
{%- elif name == 'time' -%}
if({{ text }} rlike r'^-?[0-9]{2,3}:[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?\z', {{ text }}, null)
{%- elif name in ('timestamp_millis', 'timestamp_micros') -%}
{%- set micros = 1000 if name == 'timestamp_millis' else 1 -%}
{%- set whole = 'if(' ~ text ~ " rlike r'^[+-]?[0-9]+\\z', try_cast(" ~ text ~ ' as bigint), null)' -%}
{{ timestamp_of_micros('cast(' ~ whole ~ ' as decimal(38, 0)) * ' ~ micros) }}
{%- elif name in ('local_millis', 'local_micros', 'local_nanos') -%}
{#- Debezium counts a time without a zone as if its zone were UTC. -#}
{%- set counted = typed_value(text, name | replace('local', 'timestamp'), is_cut=is_cut) -%}
{{ timestamp_of_micros('unix_micros(to_utc_timestamp(' ~ counted ~ ', ' ~ time_zone ~ '))') }}
{%- elif name in ('timestamp_seconds', 'timestamp_text') -%}
{#- A Spark timestamp has microseconds. -#}
{%- set cut = timestamp_from_local_text(text, time_zone) if name == 'timestamp_text'
    else timestamp_from_seconds(text) -%}
{{ cut if is_cut else 'if(' ~ text ~ " rlike r'[.][0-9]{6}[0-9]*[1-9]', null, " ~ cut ~ ')' }}
{%- elif name == 'binary_base64' -%}
decode_base64({{ text }}).result
{%- elif name == 'binary_latin1' -%}
if({{ text }} rlike r'[^\x00-\xff]', null, encode({{ text }}, 'ISO-8859-1'))
{%- elif name == 'bit_number' -%}
{%- set bits = 'try_cast(' ~ text ~ ' as decimal(20, 0))' -%}
if({{ text }} rlike r'^[0-9]+\z' and {{ bits }} <= 18446744073709551615, {{ bits }}, null)
{%- elif name == 'bit_base64' -%}
{{ bits_from_bytes('decode_base64(' ~ text ~ ').result') }}
{%- elif name == 'enum_index' -%}
{{ enum_label(text, declared_type) }}
{%- elif name == 'set_mask' -%}
{{ set_labels(text, declared_type) }}
{%- elif name in known_kinds() -%}
{{ logical_value(text, kind, is_cut, is_number) }}
{%- else -%}
{{ exceptions.raise_compiler_error(
    "typed_value: '" ~ kind ~ "' is not a kind. Kinds are " ~ known_kinds() | join(', ') ~ ' (docs/formats/values.md).'
) }}
{%- endif -%}
{%- endmacro %}
