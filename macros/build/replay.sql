{% macro replay(reason_code=none, source_name=none, batch_id=none) -%}
{%- set conditions, given = [], {'reason_code': reason_code, 'source_name': source_name, 'batch_id': batch_id} -%}
{%- for name in given if given[name] -%}{%- do conditions.append(name ~ ' = ' ~ sql_text(given[name])) -%}{%- endfor -%}
{#- kwargs catches misspelt names, which would be an unclear Jinja error otherwise. -#}
{%- if kwargs or not conditions -%}
    {{ exceptions.raise_compiler_error(
        "replay: expected reason_code, source_name, batch_id or several of them, found "
        ~ (kwargs | join(', ') or 'none')
        ~ ". Try: dbt run-operation replay --args '{reason_code: avro_unknown_schema}'"
    ) }}
{%- endif -%}
{%- set has_manifest = load_relation(ref('appends')) is not none -%}
{#- A build that runs now may record its append between the two statements: it is left to a later replay. -#}
{%- set newest -%} select coalesce(max(append_number), 0) from {{ ref('appends') }} {%- endset -%}
{%- set recorded = ' and append_number <= ' ~ run_query(newest).rows[0][0] if has_manifest else '' -%}
{%- set chosen -%}
select distinct batch_id, source_name, topic, partition, offset from {{ ref('events') }}
where outcome = 'quarantined' and {{ conditions | join(' and ') }}{{ recorded }}
{%- endset -%}
{%- set count = run_query('select count(*) from (' ~ chosen ~ ')').rows[0][0] -%}
{%- if count == 0 -%}
    {{ exceptions.raise_compiler_error(
        "replay: no quarantined message has " ~ conditions | join(" and ") ~ ". Look at: select source_name, "
        ~ "reason_code, batch_id, count(*) from " ~ ref('quarantine') ~ " group by all"
    ) }}
{%- endif -%}
{#- The manifest first, if there is one: after a kill in between these batches count as unread, and nothing is lost. -#}
{%- set correct -%}
merge into {{ ref('appends') }} as appends
using (
    select
        events.append_number, events.batch_id, events.format, events.source_name, events.database_name,
        events.schema_name, events.table_name,
        count_if(chosen.batch_id is null) as events,
        count_if(chosen.batch_id is null and events.event_index = 0) as messages_read
    from {{ ref('events') }} as events
    left join ({{ chosen }}) as chosen on {{ is_same_message('events', 'chosen') }}
    group by all
    having count(chosen.batch_id) > 0
) as counted
on appends.append_number = counted.append_number and appends.batch_id <=> counted.batch_id
    and appends.source_name <=> counted.source_name and appends.format <=> counted.format
    and appends.database_name <=> counted.database_name and appends.schema_name <=> counted.schema_name
    and appends.table_name <=> counted.table_name
when matched then update set events = counted.events, messages_read = counted.messages_read
{%- endset -%}
{%- do run_query(correct) if has_manifest -%}
{%- set forget -%}
merge into {{ ref('events') }} as events
using ({{ chosen }}) as chosen
on {{ is_same_message('events', 'chosen') }}
when matched then delete
{%- endset -%}
{%- do run_query(forget) -%}
{%- do log(count ~ (' message is' if count == 1 else ' messages are') ~ ' read again by the next build (dbt build).',
    info=true) -%}
{%- endmacro %}
