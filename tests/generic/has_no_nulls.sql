{#- None of the columns is ever null: one scan for all of them. -#}
{% test has_no_nulls(model, columns) %}
select
    {{ columns | join(', ') }}
from {{ model }}
where
    {%- for column in columns %}
    {{ column }} is null{{ " or" if not loop.last }}
    {%- endfor %}
{% endtest %}
