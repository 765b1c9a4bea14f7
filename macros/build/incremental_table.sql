{#- Each action is one statement: readers always find the table, and a killed build leaves the previous one. dbt-spark's
    incremental stores the select in a temporary view first, which makes Spark analyze it twice. -#}
{% materialization incremental_table, adapter='spark', supported_languages=['sql'] %}
    {%- set existing, step = load_cached_relation(this), build_step_of(sql) -%}
    {#- The profile turns code generation off, which takes longer than reading few rows. A node is a session. -#}
    {%- if step.rows > var('few_events') -%}
        {%- do run_query('set spark.sql.codegen.wholeStage = true') -%}
        {%- do run_query('set spark.sql.codegen.factoryMode = FALLBACK') -%}
    {%- endif -%}
    {{ run_hooks(pre_hooks) }}
    {#- With --empty nothing is read, and a table keeps its rows. -#}
    {%- if step.action == 'skip' or (flags.EMPTY and not flags.FULL_REFRESH and can_continue()) -%}
        {%- call noop_statement('main', 'OK nothing new') %}{{ sql }}{% endcall -%}
    {%- else -%}
        {%- if step.action == 'rebuild' -%}
            {%- do adapter.drop_relation(existing) if existing is not none and not is_own_table(existing) -%}
            {%- call statement('main') %}{{ create_table_as(false, this, sql) }}{% endcall -%}
        {%- else -%}
            {#- A typed snapshot is rebuilt if its columns change, because they are part of its definition. -#}
            {%- do check_table_columns() if not step.definition_hash -%}
            {%- call statement('main') %}{{ write_rows(sql, step) }}{% endcall -%}
            {%- do compact_files(step) -%}
        {%- endif -%}
        {%- do persist_docs(this, model) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
