{#-
    dbt run-operation replay --args '{reason_code: .., source_name: .., batch_id: ..}': marks quarantined messages (all of a
    reason, a source or a batch, or what fits several of them) to be read again by the next build.
-#}
{% macro replay(reason_code=none, source_name=none, batch_id=none) -%}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set conditions = [] -%}
{%- for name, wanted in {'reason_code': reason_code, 'source_name': source_name, 'batch_id': batch_id}.items() if wanted -%}
    {%- do conditions.append(name ~ ' = ' ~ sql_text(wanted)) -%}
{%- endfor -%}
{%- if not conditions -%}
    {{ exceptions.raise_compiler_error(
        "replay: expected at least one of reason_code, source_name and batch_id, found none. "
        ~ "Try: dbt run-operation replay --args '{reason_code: avro_unknown_schema}'"
    ) }}
{%- endif -%}
{%- set requests = api.Relation.create(schema=target.schema, identifier='replay_requests') -%}
{%- set chosen -%}
select distinct batch_id, topic, partition, offset from {{ ref('quarantine') }}
where {{ conditions | join(' and ') }}
{%- endset -%}
{%- set count = run_query('select count(*) from (' ~ chosen ~ ')').columns[0].values()[0] -%}
{%- if count == 0 -%}
    {{ exceptions.raise_compiler_error(
        "replay: no quarantined message has " ~ conditions | join(" and ") ~ ". Look at: select source_name, reason_code, "
        ~ "batch_id, count(*) from " ~ ref('quarantine') ~ " group by all"
    ) }}
{%- endif -%}
{%- do run_query(
    'create table if not exists ' ~ requests
    ~ ' (batch_id string, topic string, partition int, offset bigint, requested_at timestamp) using delta'
) -%}
{%- do run_query('insert into ' ~ requests ~ ' select *, current_timestamp() from (' ~ chosen ~ ')') -%}
{%- do log(count ~ ' messages are read again by the next build (dbt build).', info=true) -%}
{%- endmacro %}
