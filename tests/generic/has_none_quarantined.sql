{#- Nothing that landed lately is in quarantine for one of these reasons. -#}
{% test has_none_quarantined(model, reason_codes) %}
{{ config(severity=var('quarantine_severity')) }}
select
    source_name,
    format,
    reason_code,
    reason_detail,
    source_operation,
    batch_id,
    topic,
    partition,
    offset,
    event_index
from {{ model }}
where outcome = 'quarantined'
    and reason_code in ({% for code in reason_codes %}{{ sql_text(code) }}{{ ", " if not loop.last }}{% endfor %})
    and source_name in {{ judged_sources() }}
    and {{ landed_lately() }}
{% endtest %}
