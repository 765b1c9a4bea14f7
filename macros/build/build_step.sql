{#-
    The first line of the SQL of an incremental_table: what the materialization does with the select that follows, so
    that the compiled SQL states it. `rows` is the approximate number of rows that the statement reads; `since` and
    `append` are the append_number of the table before and after this build; `made_from` identifies the definition of
    the table if a change of it requires a rebuild.
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
