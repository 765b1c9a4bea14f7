{#- A zero date means that there is no date, so null is correct. -#}
{% macro cast_failures(columns, kinds) -%}
array_compact(array(
    {%- for column in columns %}
    {%- set text = column_text(column) | indent(8) %}
    if(
        {{ text }} is not null and {{ identifier(column) }} is null
        {%- if kinds[loop.index0] in ('date', 'timestamp_text', 'timestamp_seconds') %}
        and not {{ text }} rlike r'^0000-00-00([T ]00:00(:00([.]0{1,9})?)?)?\z'
        {%- endif %},
        {{ sql_text(column.name) }},
        null
    )
    {{- "," if not loop.last }}
    {%- endfor %}
))
{%- endmacro %}
