{#-
    Notes in the properties of events up to which batch all was read before this run, and how many messages and events
    that is (unread_messages): where many were counted, so that the next run need not count them, and where what was
    noted is so no more. A post-hook: what is appended now lies behind it.
-#}
{% macro note_read_batches() -%}
{%- set to_note = unread_messages().to_note if execute and is_incremental() else '' -%}
{%- if not to_note -%}{{ return('') }}{%- endif -%}
alter table {{ this }} set {{ state_properties({'read_batches': to_note}) }}
{%- endmacro %}
