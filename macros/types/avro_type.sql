{% macro avro_type(type_text) -%}
{%- set branches = "filter(from_json(" ~ type_text ~ ", 'array<string>'), branch -> branch <> 'null')" -%}
{%- set plain -%}
if(startswith({{ type_text }}, '[') and array_size({{ branches }}) = 1, {{ branches }}[0], {{ type_text }})
{%- endset -%}
case
    when get_json_object({{ plain }}, '$.logicalType') = 'decimal'
        and not startswith(get_json_object({{ plain }}, '$.scale'), '-') is true then concat(
        'decimal(', get_json_object({{ plain }}, '$.precision'), ',',
        coalesce(get_json_object({{ plain }}, '$.scale'), '0'), ')'
    )
    when startswith({{ plain }}, '{') then concat_ws(
        ' ', get_json_object({{ plain }}, '$.type'), get_json_object({{ plain }}, '$.logicalType')
    )
    else {{ plain }}
end
{%- endmacro %}
