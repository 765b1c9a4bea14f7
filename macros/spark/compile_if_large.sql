{#-
    Has Spark compile the statements of this session where there is much to read. The profile leaves it out: to compile
    a plan takes longer than to read some hundred thousand rows, but for millions nothing else will do. How many messages
    have landed and are unread says unread_messages; where a run does not build events, Delta's log is asked how many
    landed. What reads the rows of all messages (reads_all), not only looks its few up among them, is large sooner. The
    session ends with the node.
-#}
{% macro compile_if_large(landed=none, unread=0, reads_all=false) -%}
    {%- if landed is not none or 'landed' not in run_notes() -%}
        {%- if landed is none -%}
            {%- set messages = graph.sources['source.' ~ model.package_name ~ '.landing.messages'] -%}
            {%- set landed = run_query('select count(*) from ' ~ messages.relation_name).rows[0][0] -%}
        {%- endif -%}
        {%- do run_notes().update({'landed': landed, 'unread': unread}) -%}
    {%- endif -%}
    {%- set to_read = [run_notes().unread, run_notes().landed / (1 if reads_all else 25)] | max -%}
    {%- if to_read > var('few_events') -%}
        {%- do run_query('set spark.sql.codegen.wholeStage = true') -%}
        {%- do run_query('set spark.sql.codegen.factoryMode = FALLBACK') -%}
    {%- endif -%}
{%- endmacro %}
