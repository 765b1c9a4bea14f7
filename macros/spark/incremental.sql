{#- As dbt-spark makes it, but with nothing new nothing is asked of Spark: a merge of no rows takes a second. -#}
{% materialization incremental, adapter='spark', supported_languages=['sql'] %}
    {%- if not is_incremental() or sql | trim != nothing_new() | trim -%}
        {%- do compile_if_large() -%}
        {{ return(dbt.materialization_incremental_spark()) }}
    {%- endif -%}
    {{ run_hooks(pre_hooks) }}
    {%- call noop_statement('main', 'OK nothing new') %}{{ sql }}{% endcall -%}
    {%- do persist_docs(this, model) -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
