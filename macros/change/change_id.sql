{#- As JSON, so that different keys cannot concatenate to the same text. -#}
{% macro change_id(dedupe_key, row_image) -%}
sha2(concat(to_json(struct({{ dedupe_key | join(', ') }})), '|', coalesce({{ row_image }}, '')), 256)
{%- endmacro %}
