{#- The row images of a message in the order of their events: preimage, then postimage, whichever
    have columns; each with the key that the message names, where its model picks it. -#}
{% macro row_images(before_image, after_image, before_key='cast(null as string)', after_key='cast(null as string)') -%}
{%- set preimage -%}
named_struct('side', 'preimage', 'row_image', {{ before_image }}, 'row_key', {{ before_key }})
{%- endset -%}
{%- set postimage -%}
named_struct('side', 'postimage', 'row_image', {{ after_image }}, 'row_key', {{ after_key }})
{%- endset -%}
{#- No lambda: Spark compiles none, and every row would leave the compiled code here. -#}
case
    when {{ before_image }} <> '{}' and {{ after_image }} <> '{}' then array({{ preimage }}, {{ postimage }})
    when {{ before_image }} <> '{}' then array({{ preimage }})
    when {{ after_image }} <> '{}' then array({{ postimage }})
end
{%- endmacro %}
