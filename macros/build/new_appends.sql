{% macro new_appends() -%}
{%- set events = ref('events') -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 2 ** 63 - 1}) }}
{%- endif -%}
{%- set recorded = '(select coalesce(max(append_number), 0) as recorded from ' ~ this ~ ')' -%}
{#- Two subqueries, because Delta answers each from its log. -#}
{%- set found = run_query(
    'select * from (select coalesce(min(append_number), 0) as first, coalesce(max(append_number), 0) as last, '
    ~ 'count(*) as events from ' ~ events ~ ') cross join '
    ~ (recorded if can_continue() else '(select 0 as recorded)')
).rows[0] -%}
{#- A full refresh leaves one append in events, or none (no messages, --empty). A build that appended meanwhile may have
    recorded the same number, for rows that are gone. -#}
{%- set is_replaced = flags.FULL_REFRESH and found.first == found.last
    and (found.last == 0 or found.recorded <= found.last) -%}
{%- set is_rebuild = not can_continue() or is_replaced or 0 < found.recorded < found.first -%}
{%- set since, rows = 0 if is_rebuild else found.recorded, found.events if is_rebuild else 0 -%}
{%- if not is_rebuild and found.last > since -%}
    {%- set rows = run_query('select count(*) from ' ~ events ~ ' where append_number > ' ~ since).rows[0][0] -%}
{%- endif -%}
{{ return({
    'action': 'rebuild' if is_rebuild else 'append' if rows else 'skip', 'rows': rows,
    'since': since, 'append': found.last,
}) }}
{%- endmacro %}
