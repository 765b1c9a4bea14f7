{#- A select of the events of messages that have none yet; only the batches with unread messages are looked at. -#}
{% macro unread_events(staged, appended, condition) -%}
select {{ staged }}.*
from {{ staged }}
left anti join (
    select distinct batch_id, topic, partition, offset from {{ appended }}
    where {{ condition }}
) as read_messages
    on {{ staged }}.batch_id = read_messages.batch_id
        and {{ staged }}.topic <=> read_messages.topic
        and {{ staged }}.partition <=> read_messages.partition
        and {{ staged }}.offset <=> read_messages.offset
{%- endmacro %}
