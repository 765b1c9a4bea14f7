{#-
    A vendor's name as part of a name of dbt: letters, digits and single underscores between them stay, any other run
    of characters becomes _x.._ with the hexadecimal digits of its UTF-8 bytes. Also an underscore before an x, so that
    what looks like such a run is one: names differ if the vendor's do, and two underscores only stand between two names.
-#}
{% macro safe_name(name) -%}
{%- set parts = [] -%}
{%- set runs = '([A-Za-z0-9]+(?:_(?!x)[A-Za-z0-9]+)*)|([^A-Za-z0-9]+)' -%}
{%- for kept, other in modules.re.findall(runs, name) -%}
    {%- do parts.append(kept or '_x' ~ other.encode('utf-8').hex() ~ '_') -%}
{%- endfor -%}
{{ return(parts | join('') or '_x_') }}
{%- endmacro %}
