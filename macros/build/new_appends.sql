{#-
    The appends that the table of the current model has not read, of a relation with `append_number`: those after its
    own last one, or all of them if the relation lacks that one, because events was rebuilt. `action` is what the table
    does with them, `count` the SQL of their number of events.
-#}
{% macro new_appends(relation, action, count='count(*)') -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return({'action': 'rebuild', 'rows': 0, 'since': 0, 'append': 0}) }}
{%- endif -%}
{%- set reached = 0 -%}
{%- if can_continue() -%}
    {%- set reached = run_query('select coalesce(max(append_number), 0) from ' ~ this).rows[0][0] -%}
{%- endif -%}
{%- set found = run_query(
    'select coalesce(min(append_number), 0) as first, coalesce(max(append_number), 0) as last from ' ~ relation
).rows[0] -%}
{%- set is_rebuild = not can_continue() or (reached > 0 and not found.first <= reached <= found.last) -%}
{%- set since = 0 if is_rebuild else reached -%}
{%- set rows = 0 -%}
{%- if found.last > since -%}
    {%- set rows = run_query('select ' ~ count ~ ' from ' ~ relation ~ ' where append_number > ' ~ since).rows[0][0] -%}
{%- endif -%}
{{ return({
    'action': 'rebuild' if is_rebuild else action if rows else 'skip', 'rows': rows, 'since': since,
    'append': found.last,
}) }}
{%- endmacro %}
