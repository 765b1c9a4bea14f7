{% macro formats_with(fact=none, values=[true]) -%}
{%- set formats, names = var('formats'), [] -%}
{%- for name in formats if fact is none or formats[name][fact] in values -%}{%- do names.append(name) -%}{%- endfor -%}
{%- if execute and not names -%}
    {{ exceptions.raise_compiler_error(
        "formats_with: of no format in the var formats of dbt_project.yml is '" ~ fact ~ "' one of " ~ values
    ) }}
{%- endif -%}
{{ return(names) }}
{%- endmacro %}
