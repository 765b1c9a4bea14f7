{#-
    As dbt-spark makes it, but what is appended or merged is one statement: dbt-spark lays it in a temporary view first, and
    Spark analyzes it twice. With nothing new nothing is asked of Spark: a merge of no rows takes a second.
-#}
{% materialization incremental, adapter='spark', supported_languages=['sql'] %}
    {%- set is_nothing = is_incremental() and sql | trim == nothing_new() | trim -%}
    {%- if not is_incremental() or config.get('incremental_strategy') not in ('append', 'merge') -%}
        {{ return(dbt.materialization_incremental_spark()) }}
    {%- endif -%}
    {{ run_hooks(pre_hooks) }}
    {%- if is_nothing -%}
        {%- call noop_statement('main', 'OK nothing new') %}{{ sql }}{% endcall -%}
    {%- else -%}
        {%- do check_table_columns() -%}
        {%- call statement('main') %}{{ increment(sql) }}{% endcall -%}
        {%- do put_files_together() -%}
    {%- endif -%}
    {%- do persist_docs(this, model) -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
