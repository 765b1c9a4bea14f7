{#- Formats rows as aligned text with headings, one line each; fields without a heading are omitted. -#}
{% macro text_table(headings, rows) -%}
{%- set lines = [headings] -%}
{%- for row in rows -%}
    {%- do lines.append(row.values()[:headings | length] | map('string') | list) -%}
{%- endfor -%}
{%- set texts = [] -%}
{%- for line in lines -%}
    {%- set cells = [] -%}
    {%- for cell in line -%}
        {%- set place = loop.index0 -%}
        {%- do cells.append(cell.ljust(lines | map(attribute=place) | map('length') | max)) -%}
    {%- endfor -%}
    {%- do texts.append((cells | join('  ')).rstrip()) -%}
{%- endfor -%}
{{ return(texts | join('\n')) }}
{%- endmacro %}
