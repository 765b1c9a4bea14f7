{#- Rows as an aligned text, one line each under the headings; fields without a heading are left out. -#}
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
