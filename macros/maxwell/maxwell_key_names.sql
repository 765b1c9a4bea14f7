{#-
    The names of the key columns in a record key of Maxwell, in lower case: {"database":"d","table":"t","pk.id":1}, or
    ["d","t",[{"id":1}]] with kafka_key_format array. Null for any other key, and for a table without one (`_uuid`).
    Only names are read, so no digits can be lost.
-#}
{% macro maxwell_key_names(key) -%}
nullif(
    case
        when {{ key }} rlike r'^\s*[{]' then transform(
            filter(map_keys(from_json({{ key }}, 'map<string, string>')), name -> startswith(name, 'pk.')),
            name -> substr(name, 4)
        )
        when {{ key }} rlike r'^\s*\[' then flatten(transform(
            from_json(get(from_json({{ key }}, 'array<string>'), 2), 'array<map<string, string>>'),
            one -> map_keys(one)
        ))
    end,
    array()
)
{%- endmacro %}
