{#-
    dbt-spark alters one column after the other, each a Delta commit, on every run: 35 commits for `events` alone. Here
    one statement sets the comments that differ, and none is sent if all are as they should be.
-#}
{% macro spark__alter_column_comment(relation, column_dict) %}
    {%- set existing = {} -%}
    {%- for row in run_query('describe table ' ~ relation) -%}
        {%- do existing.setdefault(row[0], row[2] or '') -%}
    {%- endfor -%}
    {%- set changes = [] -%}
    {%- for name in column_dict if name in existing and existing.get(name) != column_dict[name]['description'] | trim -%}
        {%- do changes.append('`' ~ name ~ '` comment ' ~ sql_text(column_dict[name]['description'] | trim)) -%}
    {%- endfor -%}
    {%- if changes -%}
        {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ changes | join(', ')) -%}
    {%- endif -%}
{% endmacro %}
