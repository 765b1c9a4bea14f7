{#- Whether an Avro reader type accepts values of a writer's type: the same type, or a wider number. -#}
{% macro avro_promotes(writer_type, reader_type) -%}
{%- set numbers = "array('int', 'long', 'float', 'double')" -%}
({{ writer_type }} = {{ reader_type }}
    or array_position({{ numbers }}, {{ writer_type }}) between 1 and array_position({{ numbers }}, {{ reader_type }}))
{%- endmacro %}
