{#-
    A select of the identities of all changes delivered before. Of few new events only their own are looked up, so that an
    increment does not move the identities of the whole table; the new ones are then computed twice.
-#}
{% macro delivered_changes(appended, arrived, are_few) -%}
{%- if are_few %}
select /*+ broadcast(arrived) */ {{ appended }}.change_id
from {{ appended }}
left semi join (select distinct change_id from {{ arrived }}) as arrived on {{ appended }}.change_id = arrived.change_id
{%- else %}
select {{ appended }}.change_id
from {{ appended }}
{%- endif %}
where {{ appended }}.outcome in ('change', 'control')
{%- endmacro %}
