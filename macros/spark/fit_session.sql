{#-
    Sets what fits the statements of this session, which ends with the node. Where there is much to read Spark compiles
    them; the profile leaves that out, since to compile a plan takes longer than to read some hundred thousand rows. How
    many messages have landed and are unread says unread_messages; where a run does not build events, Delta's log is asked
    how many landed. What reads the rows of all messages (reads_all), not only looks its few up among them, is large
    sooner. Where nothing was read before (is_first) Delta does not look which files a scan can skip: there are none, and
    to look is a query for each scan.
-#}
{% macro fit_session(landed=none, unread=0, is_first=false, reads_all=false) -%}
    {%- if landed is not none or 'landed' not in run_notes() -%}
        {%- if landed is none -%}
            {%- set messages = graph.sources['source.' ~ model.package_name ~ '.landing.messages'] -%}
            {%- set landed = run_query('select count(*) from ' ~ messages.relation_name).rows[0][0] -%}
        {%- endif -%}
        {%- do run_notes().update({'landed': landed, 'unread': unread, 'is_first': is_first}) -%}
    {%- endif -%}
    {%- set to_read = [run_notes().unread, run_notes().landed / (1 if reads_all else 25)] | max -%}
    {%- if to_read > var('few_events') -%}
        {%- do run_query('set spark.sql.codegen.wholeStage = true') -%}
        {%- do run_query('set spark.sql.codegen.factoryMode = FALLBACK') -%}
    {%- endif -%}
    {%- if run_notes().is_first -%}{%- do run_query('set spark.databricks.delta.stats.skipping = false') -%}{%- endif -%}
{%- endmacro %}
