{#-
    dbt-spark alters one column after the other, each a Delta commit, on every run: 35 commits for `events` alone. Here
    one statement sets the comments that differ, and none is sent if all are as they should be.
-#}
{% macro spark__persist_docs(relation, model, for_relation, for_columns) %}
    {%- if for_columns and config.persist_column_docs() and model.columns -%}
        {%- set existing = {} -%}
        {%- for row in run_query('describe table ' ~ relation) -%}
            {%- do existing.setdefault(row[0], row[2] or '') -%}
        {%- endfor -%}
        {%- set columns = model.columns -%}
        {#- A seed may leave out a column that it is described to have. -#}
        {%- set changes = [] -%}
        {%- for name in columns if name in existing and existing[name] != columns[name].description | trim -%}
            {%- do changes.append('`' ~ name ~ '` comment ' ~ sql_text(columns[name].description | trim)) -%}
        {%- endfor -%}
        {%- if changes -%}
            {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ changes | join(', ')) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
