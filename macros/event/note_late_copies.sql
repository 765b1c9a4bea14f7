{#-
    Notes in the properties of events that what is appended now landed before something that was read, and until when all
    that was appended is settled: settle_copies has to look behind the append, also if this run dies in between.
-#}
{% macro note_late_copies() -%}
{%- set are_late = execute and is_incremental() and unread_messages().is_late -%}
{%- if not are_late or relation_state(this).settled_until -%}{{ return('') }}{%- endif -%}
{%- set settled_until = run_query('select unix_micros(max(appended_at)) from ' ~ this).rows[0][0] -%}
alter table {{ this }} set {{ state_properties({'settled_until': settled_until}) }}
{%- endmacro %}
