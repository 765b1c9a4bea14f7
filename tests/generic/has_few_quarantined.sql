{#-
    Of each source, at most so many percent of the messages that landed lately are in quarantine. A source with few
    messages is not judged: one bad one of two is no flood.
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
