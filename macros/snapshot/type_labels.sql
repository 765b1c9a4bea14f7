{% macro type_labels(declared_type) -%}
transform(
    regexp_extract_all({{ declared_type }}, r'\x27([^\x27]*(?:\x27\x27[^\x27]*)*)\x27', 1),
    label -> replace(label, repeat(chr(39), 2), chr(39))
)
{%- endmacro %}
