{#-
    Has Spark compile the statements of this session where there is much to read. The profile leaves it out: to compile
    a plan takes longer than to read some hundred thousand rows, but for millions nothing else will do. How much there is
    says the size of landing.messages, which is asked once a run, and what of it is unread (unread_messages); the session
    ends with the node.
-#}
{% macro compile_if_large() -%}
    {%- if 'is_large' not in run_notes() -%}
        {%- set messages = graph.sources['source.' ~ model.package_name ~ '.landing.messages'] -%}
        {%- set detail = run_query('describe detail ' ~ messages.relation_name).rows[0] -%}
        {%- do run_notes().update({'is_large': (detail['sizeInBytes'] or 0) > 256 * 1024 * 1024}) -%}
    {%- endif -%}
    {%- if run_notes().is_large -%}
        {%- do run_query('set spark.sql.codegen.wholeStage = true') -%}
        {%- do run_query('set spark.sql.codegen.factoryMode = FALLBACK') -%}
    {%- endif -%}
{%- endmacro %}
