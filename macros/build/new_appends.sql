{#-
    The appends of events that the table of the current model has not read: those after its own last one, or all of them
    if that is older than all of events, because events was rebuilt. `action` is what the table does with them, `count`
    the SQL of the number of events that matter to it: without any it has nothing to do.
-#}
{% macro new_appends(action, count='count(*)') -%}
{%- set events = ref('events') -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 0}) }}
{%- endif -%}
{%- set reached = 0 -%}
{%- if can_continue() -%}
    {%- set reached = run_query('select coalesce(max(append_number), 0) from ' ~ this).rows[0][0] -%}
{%- endif -%}
{%- set found = run_query(
    'select coalesce(min(append_number), 0) as first, coalesce(max(append_number), 0) as last from ' ~ events
).rows[0] -%}
{%- set is_rebuild = not can_continue() or 0 < reached < found.first -%}
{%- set since = 0 if is_rebuild else reached -%}
{%- set rows = 0 -%}
{%- if found.last > since -%}
    {%- set rows = run_query('select ' ~ count ~ ' from ' ~ events ~ ' where append_number > ' ~ since).rows[0][0] -%}
{%- endif -%}
{{ return({
    'action': 'rebuild' if is_rebuild else action if rows else 'skip', 'rows': rows, 'since': since,
    'append': found.last,
}) }}
{%- endmacro %}
