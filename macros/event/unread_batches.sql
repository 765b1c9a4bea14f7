{#-
    What events has to read: the formats that have unread batches and the condition that picks these batches. They stand in
    the statement as literals, because only literals let Delta skip the files of batches that were read before, and
    because a batch of two formats that commits meanwhile must be read whole or not at all. A full refresh of very many
    batches reads all formats instead. And the settings of table_keys.csv that a rule for one of their sources gives,
    and whether these are looked up in events (looks_up): they are so few that it is cheaper than to bring both together.
-#}
{% macro unread_batches() -%}
{#- Named here, where dbt sees it when it parses. -#}
{%- set table_keys = ref('table_keys') -%}
{%- set everything = {
    'formats': formats_with() | list + ['unsupported'],
    'condition': 'true',
    'settings': ['key_columns', 'lob_columns', 'soft_delete_column'],
    'looks_up': false,
} -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return(everything) }}
{%- endif -%}
{%- set unread = unread_messages() -%}
{%- set batches = unread.columns[1].values() | unique | list -%}
{%- if not batches -%}
    {{ return({
        'formats': [] if is_incremental() else ['unsupported'], 'condition': 'false', 'settings': [], 'looks_up': false,
    }) }}
{%- elif not is_incremental() and (none in batches or batches | length > 1000) -%}
    {{ return(everything) }}
{%- endif -%}
{{ return({
    'formats': unread.columns[0].values() | unique | sort,
    'condition': 'batch_id in (' ~ sql_texts(batches) ~ ')',
    'settings': given_settings(table_keys, unread.columns[2].values() | unique),
    'looks_up': is_incremental() and unread.columns[3].values() | sum <= var('few_events'),
}) }}
{%- endmacro %}
