{#- With deletion vectors a merge marks old rows as deleted and writes only the new ones, instead of rewriting whole
    files. Statistics of all columns cost seconds. Delta's log is retained as long as old data files and not for thirty
    days, because every read of a table lists it. Of Iceberg's metadata files the newest hundred are kept. -#}
{% macro spark__tblproperties_clause(definition_hash='') -%}
{%- set properties = {
    'delta.logRetentionDuration': 'interval 7 days',
    'delta.enableDeletionVectors': 'true' if config.get('unique_key') is not none,
    'delta.dataSkippingStatsColumns': model.meta.skipped_by | join(',') if model.meta.skipped_by,
} if config.get('file_format') != 'iceberg' else {
    'format-version': '3', 'write.metadata.delete-after-commit.enabled': 'true', 'write.merge.mode': 'merge-on-read',
} -%}
{%- do properties.update({'watershed.definition_hash':
    build_step_of(sql).definition_hash if config.get('materialized') == 'incremental_table' else definition_hash}) -%}
{%- do properties.update(config.get('tblproperties') or {}) -%}
tblproperties (
    {%- for name, value in properties.items() if value is defined and value is not none and value != '' %}
    {{ sql_text(name) }} = {{ sql_text(value | string) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
