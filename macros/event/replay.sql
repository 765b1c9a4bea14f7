{#-
    dbt run-operation replay --args '{reason_code: .., source_name: .., batch_id: ..}': deletes the events of
    quarantined messages (all of a reason, a source or a batch, or what fits several of them). Their batches are unread
    then, and the next build reads these messages again.
-#}
{% macro replay(reason_code=none, source_name=none, batch_id=none) -%}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set conditions = [] -%}
{%- set given = {'reason_code': reason_code, 'source_name': source_name, 'batch_id': batch_id} -%}
{%- for name, wanted in given.items() if wanted -%}
    {%- do conditions.append(name ~ ' = ' ~ sql_text(wanted)) -%}
{%- endfor -%}
{#- With kwargs a misspelt name comes here, and not to an error of Jinja's. -#}
{%- if kwargs or not conditions -%}
    {{ exceptions.raise_compiler_error(
        "replay: expected reason_code, source_name, batch_id or several of them, found " ~ (kwargs | join(', ') or 'none')
        ~ ". Try: dbt run-operation replay --args '{reason_code: avro_unknown_schema}'"
    ) }}
{%- endif -%}
{%- set chosen -%}
select distinct batch_id, source_name, topic, partition, offset from {{ ref('events') }}
where outcome = 'quarantined' and {{ conditions | join(' and ') }}
{%- endset -%}
{%- set count = run_query('select count(*) from (' ~ chosen ~ ')').columns[0].values()[0] -%}
{%- if count == 0 -%}
    {{ exceptions.raise_compiler_error(
        "replay: no quarantined message has " ~ conditions | join(" and ") ~ ". Look at: select source_name, "
        ~ "reason_code, batch_id, count(*) from " ~ ref('quarantine') ~ " group by all"
    ) }}
{%- endif -%}
{%- set forget -%}
merge into {{ ref('events') }} as events
using ({{ chosen }}) as chosen
on events.batch_id = chosen.batch_id
    and events.source_name <=> chosen.source_name
    and events.topic <=> chosen.topic
    and events.partition <=> chosen.partition
    and events.offset <=> chosen.offset
when matched then delete
{%- endset -%}
{%- do run_query(forget) -%}
{%- set counted = count ~ (' message is' if count == 1 else ' messages are') -%}
{%- do log(counted ~ ' read again by the next build (dbt build).', info=true) -%}
{%- endmacro %}
