{#- Index 0 is the empty text that MySQL keeps for an invalid value. -#}
{% macro enum_label(text, declared_type) -%}
case
    when {{ text }} rlike r'^0{1,5}\z' then ''
    when {{ text }} rlike r'^[0-9]{1,5}\z'
        then get({{ type_labels(declared_type) | indent(8) }}, cast({{ text }} as int) - 1)
end
{%- endmacro %}
