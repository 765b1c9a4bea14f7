{#-
    The first line of the SQL of an incremental_table: what the materialization does with the select that follows, so
    that the compiled SQL states it. `rows` is about how many rows the statement reads; `since` and `append` are the
    append_number that the table has reached and the one that it reaches with this build; `made_from` identifies the
    definition of the table, where a change of it means a rebuild.
-#}
{% macro build_step(action, rows=0, since=0, append=0, made_from='') -%}
{%- if action not in ('rebuild', 'append', 'merge', 'skip') -%}
    {{ exceptions.raise_compiler_error(
        "build_step: expected rebuild, append, merge or skip, found '" ~ action ~ "' in " ~ model.original_file_path
    ) }}
{%- endif -%}
-- build step: {{ tojson({
    'action': action, 'rows': rows | int, 'since': since | int, 'append': append | int, 'made_from': made_from,
}, sort_keys=true) }}
{%- endmacro %}
