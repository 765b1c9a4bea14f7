{#-
    Of each source, at most this percentage of the messages that landed recently is in quarantine. Sources with few
    messages are not tested.
-#}
{% test has_few_quarantined(model, percent, least_messages) %}
select
    source_name,
    count_if(event_index = 0) as messages,
    count(distinct if(outcome = 'quarantined', struct(batch_id, topic, partition, offset), null)) as quarantined
from {{ model }}
where source_name in {{ judged_sources() }}
    and {{ landed_lately() }}
group by source_name
having messages >= {{ least_messages }} and quarantined * 100 > messages * {{ percent }}
{% endtest %}
