{#-
    Notes in the properties of a table that is folded from events until when it was folded, and what else its model wants
    to know then, where that is further than what stands there. A post-hook: a run that dies before it folds the same
    events again, to the same rows.
-#}
{% macro note_events_until() -%}
{%- set state = run_notes().get('state of ' ~ this) if execute else none -%}
{%- if state is none or relation_state(this).events_until | default(-1) | int >= state.events_until -%}
    {{ return('') }}
{%- endif -%}
alter table {{ this }} set {{ state_properties(state) }}
{%- endmacro %}
