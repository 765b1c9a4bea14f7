{#-
    The appends that `appends` has to record: those of events after its own last one, or all of them if the first append
    of events is not the first recorded one, because events was rebuilt.
-#}
{% macro appends_to_record() -%}
{%- set events = ref('events') -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 0}) }}
{%- endif -%}
{%- set bounds = 'select min(append_number) as first, max(append_number) as last from ' -%}
{%- set found = run_query(bounds ~ events).rows[0] -%}
{%- set recorded = run_query(bounds ~ this).rows[0] if can_continue() else none -%}
{%- set is_rebuild = recorded is none or (recorded.first and recorded.first != found.first) -%}
{%- set since = 0 if is_rebuild else recorded.last or 0 -%}
{%- set append = found.last or 0 -%}
{%- set rows = 0 -%}
{%- if append > since -%}
    {%- set rows = run_query('select count(*) as found from ' ~ events ~ ' where append_number > ' ~ since).rows[0][0] -%}
{%- endif -%}
{{ return({
    'action': 'rebuild' if is_rebuild else 'append' if rows else 'skip', 'rows': rows, 'since': since, 'append': append,
}) }}
{%- endmacro %}
