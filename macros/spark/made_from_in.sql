{#- The definition hash in the properties of a table; none without the table or the property. -#}
{% macro made_from_in(relation) -%}
    {%- if not is_own_table(relation) -%}{{ return(none) }}{%- endif -%}
    {%- for row in run_query('show tblproperties ' ~ relation) if row[0] == 'watershed.made_from' -%}
        {{ return(row[1]) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}
