{#-
    dbt-spark alters the columns one by one on every run, each a Delta commit: 35 commits for `events`. Here one
    statement sets the comments that differ, and none is sent if all are up to date.
-#}
{% macro spark__persist_docs(relation, model, for_relation, for_columns) %}
    {%- if for_columns and config.persist_column_docs() and model.columns -%}
        {%- set existing = {} -%}
        {%- for row in run_query('describe table ' ~ relation) -%}
            {%- do existing.setdefault(row[0], row[2] or '') -%}
        {%- endfor -%}
        {%- set columns = model.columns -%}
        {#- A seed may omit a described column. -#}
        {%- set changes = [] -%}
        {%- for name in columns if name in existing and existing[name] != columns[name].description | trim -%}
            {%- do changes.append('`' ~ name ~ '` comment ' ~ sql_text(columns[name].description | trim)) -%}
        {%- endfor -%}
        {%- if changes -%}
            {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ changes | join(', ')) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
