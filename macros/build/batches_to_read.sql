{#- Formats and condition are literals. Delta skips files only for literals; and a batch of two formats that commits
    meanwhile is read completely or not at all. A rebuild of more than 1,000 batches reads all formats. -#}
{% macro batches_to_read() -%}
{%- set settings, table_keys = ['key_columns', 'lob_columns', 'soft_delete_column'], ref('table_keys') -%}
{%- set everything = {
    'formats': formats_with() | list + ['unsupported'], 'condition': 'true', 'messages': none, 'since': 0,
    'settings': settings, 'copies': 'merge',
} -%}
{%- if not execute or flags.WHICH not in ('run', 'build') -%}{{ return(everything) }}{%- endif -%}
{%- set appends, recorded = this.incorporate(path={'identifier': 'appends'}), {'since': 0, 'events': 0} -%}
{%- if is_own_table(load_cached_relation(appends)) -%}
    {%- set recorded = run_query(
        'select coalesce(max(append_number), 0) as since, coalesce(sum(events), 0) as events from ' ~ appends
    ).rows[0] -%}
{%- endif -%}
{%- set since = recorded.since | int -%}
{%- if not can_continue() and is_own_table(load_cached_relation(this)) -%}
    {#- A full refresh continues the numbers of events: readers may have passed appends that the manifest lacks. -#}
    {%- set since = [since, run_query('select max(append_number) as since from ' ~ this).rows[0].since or 0] | max -%}
{%- endif -%}
{%- set query -%}
select
    unread.model, unread.batch_id, unread.source_name, unread.messages,
    {%- for setting in settings %} count(rules.{{ setting }}) > 0 as {{ setting }}{{ ',' if not loop.last }}{% endfor %}
from ({{ unread_messages(since, not can_continue()) }}) as unread
left join {{ table_keys }} as rules on unread.source_name = coalesce(rules.source_name, unread.source_name)
group by unread.model, unread.format, unread.batch_id, unread.source_name, unread.messages
{%- endset -%}
{%- set unread, few = run_query(query).rows, var('few_events') -%}
{%- set batches = unread | map(attribute='batch_id') | unique(case_sensitive=true) | list -%}
{%- set messages, given = unread | sum(attribute='messages') | int, [] -%}
{%- for name in settings if unread | map(attribute=name) | select | list -%}{%- do given.append(name) -%}{%- endfor -%}
{%- set plan = {
    'messages': messages, 'since': since,
    'copies': 'bring' if recorded.events <= few else 'look up' if messages <= few else 'merge',
} -%}
{%- if not can_continue() and (none in batches or batches | length > 1000) -%}
    {{ return(dict(everything, **plan)) }}
{%- endif -%}
{{ return(dict(
    plan, formats=unread | map(attribute='model') | unique | sort or ['unsupported'], settings=given,
    condition='batch_id in (' ~ sql_texts(batches) ~ ')' if batches else 'false',
)) }}
{%- endmacro %}
