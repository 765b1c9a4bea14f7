{#- `name_key` passes through Python, so it is called only if one of the formats needs it. -#}
{% macro event_key(formats, settings) -%}
{%- set is_message_key = 'message_key is not null and coalesce(array_size(configured_key_columns), 0) = 0' -%}
coalesce(
    {%- if 'key_columns' in settings or formats | reject('in', formats_with('names_keys')) | list %}
    pick_key(if(has_event_key or ({{ is_message_key }}), null, row_image), keyed_by),
    {%- endif %}
    {%- if formats | select('in', formats_with('has_event_key')) | list %}
    name_key(if(has_event_key, message_key, null), keyed_by),
    {%- endif %}
    if({{ is_message_key }} and not has_event_key, message_key, null)
)
{%- endmacro %}
