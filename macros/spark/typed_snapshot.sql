{#-
    The table of a typed snapshot, of which a build writes the rows that changed: their states are those appended to
    row_states since the snapshot was built. All of it is made anew if its SQL changed (columns, types, casts), the time
    zone of its source, or row_states is another table; if a truncate came; and if rows of several places (databases,
    schemas) are in it, for then a row key does not name a row.
-#}
{% materialization typed_snapshot, adapter='spark' %}
    {%- set standing = load_cached_relation(this) -%}
    {%- if standing is not none and not is_made_table(standing) -%}{%- do adapter.drop_relation(standing) -%}{%- endif -%}
    {%- set known = snapshot_state(this) -%}
    {%- set news = snapshot_news(known) -%}
    {%- set is_whole = news.is_whole or should_full_refresh() -%}
    {%- if is_whole or news.has_changes -%}{%- do fit_session(reads_all=is_whole) -%}{%- endif -%}
    {{ run_hooks(pre_hooks) }}
    {%- if is_whole -%}
        {%- call statement('main') %}{{ create_snapshot(news) }}{% endcall -%}
        {%- do persist_docs(this, model) -%}
    {%- else -%}
        {%- if news.has_changes -%}
            {%- call statement('main') %}{{ merge_snapshot(news) }}{% endcall -%}
            {%- do put_files_together() -%}
        {%- else -%}
            {%- call noop_statement('main', 'OK unchanged') %}{{ sql }}{% endcall -%}
        {%- endif -%}
        {%- if known.described != news.state.described -%}
            {%- do run_query('comment on table ' ~ this ~ ' is ' ~ sql_text(model.description)) -%}
            {%- do persist_docs(this, model) -%}
        {%- endif -%}
        {#- Behind the merge: a run that dies in between is done again, to the same rows. -#}
        {%- if news.has_changes or news.is_far or known.described != news.state.described -%}
            {%- do run_query('alter table ' ~ this ~ ' set ' ~ state_properties(news.state)) -%}
        {%- endif -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
