{#- dbt reports neither the line of the file nor a remedy, and calls no macro before it stops. -#}
{% macro seed_problem(result) -%}
{%- set told = 'Row ([0-9]+) has ([0-9]+) values, but Table only has ([0-9]+) columns' -%}
{%- set found = modules.re.search(told, result.message or '') -%}
{%- if found -%}
{{ result.node.original_file_path }}:{{ found[1] | int + 2 }}: expected {{ found[3] }} cells, found {{ found[2] }}.
{#- #} Put a cell with a comma in quotation marks; correct the line, then build again.
{%- endif -%}
{%- endmacro %}
