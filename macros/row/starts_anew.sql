{#- A change that nothing older shows through: a full image, or a moved one, behind which the old key's row lies. -#}
{% macro starts_anew(change) -%}
({{ change }}.image_scope in ('full', 'moved') and not {{ is_removal(change) }})
{%- endmacro %}
