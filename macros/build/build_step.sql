{% macro build_step(action, rows=0, since=0, append=0, definition_hash='') -%}
-- build step: {{ tojson({
    'action': action, 'rows': rows | int, 'since': since | int, 'append': append | int,
    'definition_hash': definition_hash,
}, sort_keys=true) }}
{%- endmacro %}
