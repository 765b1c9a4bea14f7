{% macro row_images(before_image, after_image, before_key='cast(null as string)', after_key='cast(null as string)') -%}
{%- set image = "named_struct('side', '%s', 'row_image', %s, 'row_key', %s)" -%}
{%- set preimage = image | format('preimage', before_image, before_key) -%}
{%- set postimage = image | format('postimage', after_image, after_key) -%}
{#- No lambda: Spark does not generate code for lambdas, so every row would leave the generated code here. -#}
case
    when {{ before_image }} <> '{}' and {{ after_image }} <> '{}' then array({{ preimage }}, {{ postimage }})
    when {{ before_image }} <> '{}' then array({{ preimage }})
    when {{ after_image }} <> '{}' then array({{ postimage }})
end
{%- endmacro %}
