{#- Makes all of a typed snapshot in one commit, its state among the properties. -#}
{% macro create_snapshot(state) -%}
{#- Deletion vectors: a merge marks old rows as gone and writes the new ones; without, it writes all files again. -#}
{%- set others = {'delta.enableDeletionVectors': 'true'} -%}
{%- do others.update(config.get('tblproperties') or {}) -%}
create or replace table {{ this }}
    using delta
    {{ partition_cols(label='partitioned by') }}
    {{ clustered_cols(label='clustered by') }}
    {{ location_clause() }}
    {{ comment_clause() }}
    {{ state_properties(state, others) }}
as
{{ sql }}
{%- endmacro %}
