{#-
    The appends of events that the table of the current model has not read: those after its own last one, or all of them
    if that is older than all of events, because events was rebuilt. `count` is the SQL of the number of events that
    matter to it: without any it has nothing to do.
-#}
{% macro new_appends(action, count='count(*)') -%}
{%- set events, reached = ref('events'), 0 -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 2 ** 63 - 1}) }}
{%- endif -%}
{%- if can_continue() -%}
    {%- set reached = run_query('select coalesce(max(append_number), 0) from ' ~ this).rows[0][0] -%}
{%- endif -%}
{#- Two subqueries: Delta answers the first from its log, and skips files for the second. -#}
{%- set found = run_query(
    'select * from (select coalesce(min(append_number), 0) as first, coalesce(max(append_number), 0) as last from '
    ~ events ~ ') cross join (select ' ~ count ~ ' as news from ' ~ events ~ ' where append_number > ' ~ reached ~ ')'
).rows[0] -%}
{%- set is_rebuild = not can_continue() or 0 < reached < found.first -%}
{{ return({
    'action': 'rebuild' if is_rebuild else action if found.news else 'skip', 'rows': found.news,
    'since': 0 if is_rebuild else reached, 'append': found.last,
}) }}
{%- endmacro %}
