{#- The column types of OMS's __light_type as a JSON object; a column without a schemaType is left out. -#}
{% macro light_types(given) -%}
nullif(
    to_json(map_filter(
        transform_values(
            from_json({{ given }}, 'map<string, struct<schemaType: string>>'), (name, light) -> light.schematype
        ),
        (name, type) -> type is not null
    )),
    '{}'
)
{%- endmacro %}
