{#- Whether a SharePlex image is the whole row: after an update if `key` was the row and has all changed columns. -#}
{% macro oms_shareplex_image_scope() -%}
case
    when image is null then 'none'
    when operation <> 'upd' then 'full'
    when is_key_full and (image.side = 'preimage' or size(array_except(data_names, key_names)) = 0) then 'full'
    else if(image.side = 'preimage', 'key', 'partial')
end
{%- endmacro %}
