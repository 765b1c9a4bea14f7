{#-
    Every value of a typed snapshot fits its type, except in the columns of except_columns. Where the text of such a
    column is kept (kept_texts), only numbers are excepted: the type cannot hold all of their digits, and the text can.
    A text that is not a number is a failure there as well.
-#}
{% test has_no_cast_failures(model, except_columns=[], kept_texts={}) %}
{{ config(severity=var('quarantine_severity')) }}
{%- set texts = {} -%}
{%- for name, text in kept_texts.items() -%}{%- do texts.update({name | lower: text}) -%}{%- endfor -%}
select
    row_key,
    failed_column
from {{ model }}
    lateral view explode(cast_failures) failures as failed_column
{%- for name in except_columns | map('lower') %}
{{ 'where' if loop.first else '    and' }} (
    lower(failed_column) <> {{ sql_text(name) }}
    {%- if name in texts %}
    or not {{ identifier({'name': texts[name]}) }}
        rlike r'^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?\z'
    {%- endif %}
)
{%- endfor %}
{% endtest %}
