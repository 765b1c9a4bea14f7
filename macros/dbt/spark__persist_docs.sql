{#- dbt-spark alters the columns one by one in every run, each a Delta commit: 35 commits for `events`. A seed may omit
    a described column. -#}
{% macro spark__persist_docs(relation, model, for_relation, for_columns) %}
    {%- set columns, changes = model.columns if config.persist_column_docs() else {}, {} -%}
    {%- for row in run_query('describe table ' ~ relation) if row[0] in columns -%}
        {%- set comment = columns[row[0]].description | trim -%}
        {%- do changes.update({row[0]: identifier(columns[row[0]]) ~ ' comment ' ~ sql_text(comment)})
            if comment != (row[2] or '') -%}
    {%- endfor -%}
    {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ changes.values() | join(', ')) if changes -%}
{% endmacro %}
