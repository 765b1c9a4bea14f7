{#- The definition hash in the properties of a relation; none without the relation or the property. -#}
{% macro made_from_of(relation) -%}
    {%- set said = modules.re.search(
        '^Table Properties: .*watershed[.]made_from=([0-9a-f]{32})', relation.information or '', modules.re.MULTILINE
    ) if relation is not none else none -%}
    {{ return(said.group(1) if said else none) }}
{%- endmacro %}
