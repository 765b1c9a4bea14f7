{#-
    What was appended to events behind a time (microseconds): until when, how many, and when the first that tells a part
    of its row; nulls where nothing was. Asked once a run for one time: key_moves and row_states mostly ask for the same.
    As a literal, so that Delta skips the files of older appends, and a millisecond later, for it knows the times in a
    file rounded up; appends are two apart. 'partial' sorts last among the scopes, so by the maximum in a file's
    statistics it skips the files without one.
-#}
{% macro appends_since(since) -%}
{%- set question -%}
select
    unix_micros(max(appended_at)) as until,
    count(*) as events,
    unix_micros(min(if(change_type = 'update_postimage' and fold_scope = 'partial', appended_at, null))) as first_part
from {{ ref('events') }}
where appended_at > timestamp_micros({{ since }} + 1000)
{%- endset -%}
{%- if question not in run_notes() -%}
    {%- do run_notes().update({question: run_query(question).rows[0].dict()}) -%}
{%- endif -%}
{{ return(run_notes()[question]) }}
{%- endmacro %}
