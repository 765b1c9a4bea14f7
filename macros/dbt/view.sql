{#- dbt-spark recreates it in every run, which takes Spark up to two seconds. -#}
{% materialization view, adapter='spark' %}
    {%- set existing = load_cached_relation(this) -%}
    {%- set hash = definition_hash(sql) -%}
    {%- if existing is none or not existing.is_view or should_full_refresh()
        or stored_definition_hash(existing) != hash -%}
        {{ return(create_or_replace_view()) }}
    {%- endif -%}
    {{ run_hooks(pre_hooks) }}
    {% call noop_statement('main', 'OK unchanged') %}{{ sql }}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [existing]}) }}
{% endmaterialization %}
