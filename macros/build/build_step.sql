{% macro build_step(action, rows=0, since=0, append=0, made_from='') -%}
-- build step: {{ tojson({
    'action': action, 'rows': rows | int, 'since': since | int, 'append': append | int, 'made_from': made_from,
}, sort_keys=true) }}
{%- endmacro %}
