{#-
    Turns on Spark's code generation for the statements of this node if many rows are read. The profile turns it off,
    because generating and compiling code takes longer than reading some hundred thousand rows. Each dbt node has its
    own session, so the setting ends with the node.
-#}
{% macro use_code_generation(rows) -%}
    {%- if rows > var('few_events') -%}
        {%- do run_query('set spark.sql.codegen.wholeStage = true') -%}
        {%- do run_query('set spark.sql.codegen.factoryMode = FALLBACK') -%}
    {%- endif -%}
{%- endmacro %}
