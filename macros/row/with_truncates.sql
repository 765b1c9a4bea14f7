{#- A select of a relation with all truncates of the table that each row of it speaks of, as an array; null if there are none. -#}
{% macro with_truncates(relation) -%}
select
    {{ relation }}.*,
    truncates_by_table.truncates
from {{ relation }}
left join (
    {{ truncates_by_table() | indent(4) }}
) as truncates_by_table on {{ is_same_table(relation, 'truncates_by_table') }}
{%- endmacro %}
