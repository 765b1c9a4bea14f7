{#-
    What events has to read: the formats that have unread batches and the condition that picks these batches. They
    stand in the statement as literals, because only literals let Delta skip the files of batches that were read
    before, and because a batch of two formats that commits meanwhile must be read whole or not at all. A full refresh
    of very many batches reads all formats instead. And the settings of table_keys.csv that a rule for one of their
    sources gives, and how to find copies of what was appended before (copies): 'bring' the identities of few events
    to the messages, 'look up' those of few messages in events, 'merge' many with many. And a time that the last append
    is not before (appended_at, microseconds).
-#}
{% macro unread_batches() -%}
{#- Named here, where dbt sees it when it parses. -#}
{%- set table_keys = ref('table_keys') -%}
{%- set everything = {
    'formats': formats_with() | list + ['unsupported'],
    'condition': 'true',
    'settings': ['key_columns', 'lob_columns', 'soft_delete_column'],
    'copies': 'merge',
    'appended_at': 0,
} -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}
    {{ return(everything) }}
{%- endif -%}
{%- set unread = unread_messages() -%}
{%- set batches = unread.groups | map(attribute='batch_id') | unique(case_sensitive=true) | list -%}
{%- if not batches -%}
    {{ return({
        'formats': [] if is_incremental() else ['unsupported'], 'condition': 'false', 'settings': [], 'copies': 'bring',
        'appended_at': 0,
    }) }}
{%- elif not is_incremental() and (none in batches or batches | length > 1000) -%}
    {{ return(everything) }}
{%- endif -%}
{%- set sources = unread.groups | map(attribute='source_name') | unique(case_sensitive=true) -%}
{%- set messages, few = unread.groups | sum(attribute='messages'), var('few_events') -%}
{{ return({
    'formats': unread.groups | map(attribute='format') | unique | sort,
    'condition': 'batch_id in (' ~ sql_texts(batches) ~ ')',
    'settings': given_settings(table_keys, sources),
    'copies': 'bring' if unread.events <= few else 'look up' if messages <= few else 'merge',
    'appended_at': unread.appended_at,
}) }}
{%- endmacro %}
