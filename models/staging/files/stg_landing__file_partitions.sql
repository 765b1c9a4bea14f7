-- A file that landed before files had partitions of their own is partition 0 of a topic with the file's name. An
-- envelope of that time produces such a row too, which matches no message.
select distinct
    source_name,
    coalesce(topic, file_name) as topic,
    coalesce(partition, 0) as partition
from {{ source('landing', 'files') }}
where mode is null or mode <> 'envelope'
