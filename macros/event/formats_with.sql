{#- The names of the formats of which a fact holds (var formats in dbt_project.yml), as a list; of all without a fact. -#}
{% macro formats_with(fact=none, values=[true]) -%}
{%- set names = [] -%}
{%- for name, facts in var('formats').items() if fact is none or facts.get(fact) in values -%}
    {%- do names.append(name) -%}
{%- endfor -%}
{%- if not names -%}
    {{ exceptions.raise_compiler_error(
        "formats_with: of no format in the var formats of dbt_project.yml is '" ~ fact ~ "' one of " ~ values
    ) }}
{%- endif -%}
{{ return(names) }}
{%- endmacro %}
