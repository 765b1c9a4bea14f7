{#- Abbreviations such as CST are ambiguous and are not read. -#}
{% macro timestamp_from_local_text(text, time_zone, is_cut=false) -%}
{%- set zones = 'Z|UTC|GMT|[+-][0-9]{1,2}:[0-9]{2}|[A-Z][A-Za-z_]+/[A-Za-z0-9_+/-]+' -%}
{%- set times = '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,9})?)?' -%}
{%- set local -%}
regexp_extract({{ text }}, r'^({{ times }})(?: ?({{ zones }}))?\z', 1)
{%- endset -%}
{%- set zone -%}
regexp_extract({{ text }}, r'^({{ times }})(?: ?({{ zones }}))?\z', 2)
{%- endset -%}
case
    when startswith({{ text }}, '0000') then null
{%- if not is_cut %}
    when {{ has_nanoseconds(text) }} then null
{%- endif %}
    else {{ timestamp_of_micros(
        "unix_micros(try_cast(nullif(" ~ local ~ ", '') || if(length(" ~ local ~ ") = 16, ':00 ', ' ') "
        ~ '|| coalesce(nullif(' ~ zone ~ ", ''), " ~ time_zone ~ ') as timestamp))'
    ) }}
end
{%- endmacro %}
