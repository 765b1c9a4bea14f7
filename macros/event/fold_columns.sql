{#- The columns of staging that only some formats have something to say in: null where the format says nothing. -#}
{% macro fold_columns(fold_scope='null', before_hash='null', missing_columns='null', may_change_key='null') -%}
cast({{ fold_scope }} as string) as fold_scope,
cast({{ before_hash }} as string) as before_hash,
cast({{ missing_columns }} as string) as missing_columns,
cast({{ may_change_key }} as boolean) as may_change_key
{%- endmacro %}
