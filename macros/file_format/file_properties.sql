{#-
    The properties that a table of the present node has for its format. A merge marks old rows as gone and writes the
    new ones (deletion vectors): without, it writes all files again that have one of them. And Delta is told by which
    columns (meta.skipped_by) statements skip files, since statistics of all cost seconds; those of Iceberg are short.
    Delta's log is kept as long as its old files are, not for thirty days: each look at a table lists all of it.
-#}
{% macro file_properties() -%}
    {%- set is_merged = config.get('unique_key') is not none -%}
    {%- set properties = {} -%}
    {%- if is_iceberg() -%}
        {#- Each commit writes a file of metadata, of which the newest hundred stay. -#}
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
