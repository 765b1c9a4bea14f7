{#- Makes all of a typed snapshot in one commit, its state among the properties. -#}
{% macro create_snapshot(state) -%}
create or replace table {{ this }}
    {{ file_format_clause() }}
    {{ partition_cols(label='partitioned by') }}
    {{ clustered_cols(label='clustered by') }}
    {{ location_clause() }}
    {{ comment_clause() }}
    {{ state_properties(state, file_properties()) }}
as
{{ sql }}
{%- endmacro %}
