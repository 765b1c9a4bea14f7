{#- dbt reads those of views with the list of relations; Delta and Iceberg store those of tables themselves. -#}
{% macro stored_definition_hash(relation) -%}
    {%- if relation is not none and relation.is_view -%}
        {%- set found = modules.re.search('watershed[.]definition_hash=([0-9a-f]{32})', relation.information or '') -%}
        {{ return(found.group(1) if found else none) }}
    {%- elif is_own_table(relation) -%}
        {%- for row in run_query('show tblproperties ' ~ relation) if row[0] == 'watershed.definition_hash' -%}
            {{ return(row[1]) }}
        {%- endfor -%}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}
