{#-
    As dbt-spark makes it, but what is appended or merged is one statement: dbt-spark lays it in a temporary view first, and
    Spark analyzes it twice; and a table that is made anew is replaced in one statement too, in each format, so that readers
    never miss it. With nothing new nothing is asked of Spark: a merge of no rows takes a second.
-#}
{% materialization incremental, adapter='spark', supported_languages=['sql'] %}
    {%- set standing = load_cached_relation(this) -%}
    {%- set is_nothing = is_incremental() and sql | trim == nothing_new() | trim -%}
    {{ run_hooks(pre_hooks) }}
    {%- if not is_incremental() -%}
        {%- do adapter.drop_relation(standing) if standing is not none and not is_made_table(standing) -%}
        {%- call statement('main') %}{{ create_table_as(false, this, sql) }}{% endcall -%}
    {%- elif is_nothing -%}
        {%- call noop_statement('main', 'OK nothing new') %}{{ sql }}{% endcall -%}
    {%- else -%}
        {%- do check_table_columns() -%}
        {%- set is_append = config.require('incremental_strategy') == 'append' -%}
        {%- call statement('main') %}{{ append_events(sql) if is_append else merge_rows(sql) }}{% endcall -%}
        {%- do put_files_together() -%}
    {%- endif -%}
    {%- do persist_docs(this, model) -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
