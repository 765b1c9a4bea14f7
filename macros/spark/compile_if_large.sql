{#-
    Has Spark compile the statements of this session where there is much to read. The profile leaves it out: to compile
    a plan takes longer than to read some hundred thousand rows, but for millions nothing else will do. How many messages
    have landed and are unread says unread_messages; where a run does not build events, Delta's log is asked how many
    landed. The session ends with the node.
-#}
{% macro compile_if_large(landed=none, unread=0) -%}
    {%- if landed is not none or 'is_large' not in run_notes() -%}
        {%- if landed is none -%}
            {%- set messages = graph.sources['source.' ~ model.package_name ~ '.landing.messages'] -%}
            {%- set landed = run_query('select count(*) from ' ~ messages.relation_name).rows[0][0] -%}
        {%- endif -%}
        {%- set is_large = landed > 25 * var('few_events') or unread > var('few_events') -%}
        {%- do run_notes().update({'is_large': is_large}) -%}
    {%- endif -%}
    {%- if run_notes().is_large -%}
        {%- do run_query('set spark.sql.codegen.wholeStage = true') -%}
        {%- do run_query('set spark.sql.codegen.factoryMode = FALLBACK') -%}
    {%- endif -%}
{%- endmacro %}
