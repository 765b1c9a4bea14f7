{#-
    Sets what fits the statements of this session, which ends with the node. Where there is much to read Spark compiles
    them; the profile leaves that out, since to compile a plan takes longer than to read some hundred thousand rows. Where
    nothing was read before, Delta is not asked which files a scan can skip: none, and to ask is a job for each scan.
    unread_messages tells all that; where a run does not build events, Delta's log is asked how many landed.
-#}
{% macro fit_session(landed=none, unread=0, is_first=false) -%}
    {%- if landed is not none or 'session_settings' not in run_notes() -%}
        {%- if landed is none -%}
            {%- set messages = graph.sources['source.' ~ model.package_name ~ '.landing.messages'] -%}
            {%- set landed = run_query('select count(*) from ' ~ messages.relation_name).rows[0][0] -%}
        {%- endif -%}
        {%- set settings = {} -%}
        {%- if landed > 25 * var('few_events') or unread > var('few_events') -%}
            {%- do settings.update({
                'spark.sql.codegen.wholeStage': 'true', 'spark.sql.codegen.factoryMode': 'FALLBACK',
            }) -%}
        {%- endif -%}
        {%- if is_first -%}{%- do settings.update({'spark.databricks.delta.stats.skipping': 'false'}) -%}{%- endif -%}
        {%- do run_notes().update({'session_settings': settings}) -%}
    {%- endif -%}
    {%- for name, value in run_notes().session_settings.items() -%}
        {%- do run_query('set ' ~ name ~ ' = ' ~ value) -%}
    {%- endfor -%}
{%- endmacro %}
