{#- A change after which its key is gone: a delete, or the image that a row had before it changed. -#}
{% macro is_removal(change) -%}
({{ change }}.change_type in ('delete', 'update_preimage'))
{%- endmacro %}
