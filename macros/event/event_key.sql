{#-
    The key of an event's row: by the configured key columns, else as the message gives it, else by the columns that it
    declares. Each function is a step through Python, so only what the formats and settings at hand need is asked for;
    a format that names its keys and is missing in name_their_key is slower and no less right.
-#}
{% macro event_key(formats, settings) -%}
{%- set is_unconfigured = 'coalesce(array_size(configured_key_columns), 0) = 0' -%}
{%- set are_databus = 'databus_' in formats | join(' ') -%}
{%- set name_their_key = ['datahub_blob', 'oms_dataworks_v2', 'databus_binary', 'databus_json', 'unsupported'] -%}
{%- set are_picked = 'key_columns' in settings or formats | reject('in', name_their_key) | list | length > 0 -%}
coalesce(
    {%- if are_picked %}
    pick_key(
        if(has_key_apart or ({{ is_unconfigured }} and message_key is not null), null, row_image), keyed_by
    ),
    {%- endif %}
    {%- if are_databus %}
    name_key(if(has_key_apart, message_key, null), keyed_by),
    {%- endif %}
    if({{ is_unconfigured }} and not has_key_apart, message_key, null)
)
{%- endmacro %}
