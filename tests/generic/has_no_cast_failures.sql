{#- Every value of a typed snapshot fits its type, but in the columns that are named. -#}
{% test has_no_cast_failures(model, except_columns=[]) %}
{{ config(severity=var('quarantine_severity')) }}
{%- set known = except_columns | map('lower') | list -%}
select
    row_key,
    failed_column
from {{ model }}
    lateral view explode(cast_failures) failures as failed_column
where lower(failed_column) not in ('' {%- for name in known %}, {{ sql_text(name) }}{% endfor %})
{% endtest %}
