{#-
    The table properties of the current node for its format. With deletion vectors a merge marks old rows as deleted and
    writes only the new ones, instead of rewriting whole files. Delta collects statistics only for the columns in
    meta.skipped_by, because statistics of all columns cost seconds. Delta's log is retained as long as old data files
    and not for thirty days, because every read of a table lists the log.
-#}
{% macro file_properties() -%}
    {%- set is_merged = config.get('unique_key') is not none -%}
    {%- set properties = {} -%}
    {%- if is_iceberg() -%}
        {#- Each commit writes a metadata file; the newest hundred are kept. -#}
        {%- do properties.update({'format-version': '3', 'write.metadata.delete-after-commit.enabled': 'true'}) -%}
        {%- for kind in ('delete', 'update', 'merge') -%}
            {%- do properties.update({'write.' ~ kind ~ '.mode': 'merge-on-read'}) -%}
        {%- endfor -%}
    {%- else -%}
        {%- if model.meta.skipped_by -%}
            {%- do properties.update({'delta.dataSkippingStatsColumns': model.meta.skipped_by | join(',')}) -%}
        {%- endif -%}
        {%- do properties.update({'delta.enableDeletionVectors': 'true'}) if is_merged -%}
        {%- do properties.update({'delta.logRetentionDuration': 'interval 7 days'}) -%}
    {%- endif -%}
    {%- do properties.update(config.get('tblproperties') or {}) -%}
    {{ return(properties) }}
{%- endmacro %}
