{#-
    Notes in the properties of a table that is folded from events until when it was folded, where that is further than
    what stands there. A post-hook: a run that dies before it folds the same events again, to the same rows.
-#}
{% macro note_events_until() -%}
{%- set until = run_notes().get('events_until ' ~ this) if execute else none -%}
{%- if until is none or relation_state(this).events_until | default(-1) | int >= until -%}{{ return('') }}{%- endif -%}
alter table {{ this }} set {{ state_properties({'events_until': until}) }}
{%- endmacro %}
