{#- No two rows are equal in the given columns; nulls count as equal. -#}
{% test unique_combination(model, columns) %}
select
    {{ columns | join(', ') }},
    count(*) as rows_found
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
