{#- Databases omit the zone; Alibaba DTS writes UTC with a Z. -#}
{% macro timestamp_in_zone(text, zone) -%}
if(
    endswith({{ text }}, 'Z'),
    {{ timestamp_from_text("left(" ~ text ~ ", length(" ~ text ~ ") - 1)") | indent(4) }},
    to_utc_timestamp({{ timestamp_from_text(text) | indent(4) }}, {{ zone }})
)
{%- endmacro %}
