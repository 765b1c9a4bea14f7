{#- If position orders it, an older change may be the only one that names the key columns, so it is kept. -#}
{% macro is_base(change, is_ordered_by_position) -%}
case
    when {{ is_ordered_by_position }} then false
    when {{ change }}.change_type = 'delete' and not coalesce({{ change }}.is_soft_deleted, false) then true
    else {{ change }}.image_scope in ('full', 'carried') and {{ change }}.change_type <> 'update_preimage'
end
{%- endmacro %}
