{#- Abbreviations such as CST are ambiguous and are not read. -#}
{% macro timestamp_from_local_text(text, time_zone) -%}
{%- set zones = 'Z|UTC|GMT|[+-][0-9]{1,2}:[0-9]{2}|[A-Z][A-Za-z_]+/[A-Za-z0-9_+/-]+' -%}
{%- set times = '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,9})?)?' -%}
{%- set found = 'regexp_extract(' ~ text ~ ", r'^(" ~ times ~ ')(?: ?(' ~ zones ~ "))?\\z', " -%}
{%- set local, zone = found ~ '1)', found ~ '2)' -%}
if(startswith({{ text }}, '0000'), null, {{ timestamp_of_micros(
    "unix_micros(try_cast(nullif(" ~ local ~ ", '') || if(length(" ~ local ~ ") = 16, ':00 ', ' ') "
    ~ '|| coalesce(nullif(' ~ zone ~ ", ''), " ~ time_zone ~ ') as timestamp))'
) }})
{%- endmacro %}
