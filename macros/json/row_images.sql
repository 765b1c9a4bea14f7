{% macro row_images(before_image, after_image, before_key='cast(null as string)', after_key='cast(null as string)') -%}
{%- set preimage -%}
named_struct('side', 'preimage', 'row_image', {{ before_image }}, 'row_key', {{ before_key }})
{%- endset -%}
{%- set postimage -%}
named_struct('side', 'postimage', 'row_image', {{ after_image }}, 'row_key', {{ after_key }})
{%- endset -%}
{#- No lambda: Spark does not generate code for lambdas, so every row would leave the generated code here. -#}
case
    when {{ before_image }} <> '{}' and {{ after_image }} <> '{}' then array({{ preimage }}, {{ postimage }})
    when {{ before_image }} <> '{}' then array({{ preimage }})
    when {{ after_image }} <> '{}' then array({{ postimage }})
end
{%- endmacro %}
