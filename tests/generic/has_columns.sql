{#- The columns of a model are those that its YAML lists: names, types and order. Each failing row shows the difference.
    -#}
{% test has_columns(model) %}
{%- if execute %}
    {%- set expected = [] -%}
    {%- set node = graph.nodes.values() | selectattr('resource_type', 'equalto', 'model') | selectattr('name', 'equalto', model.identifier) | first -%}
    {%- for column in node.columns.values() -%}
        {%- do expected.append((column.name, column.data_type | lower | replace(' ', ''))) -%}
    {%- endfor -%}
    {%- set found = [] -%}
    {%- for row in run_query('describe table ' ~ model) if row[0] and not row[0].startswith('#') -%}
        {%- do found.append((row[0], row[1] | lower | replace(' ', ''))) -%}
    {%- endfor -%}
    {%- if expected == found %}
select 'none' as difference where false
    {%- else %}
select '{{ ("expected " ~ expected ~ " found " ~ found) | replace("'", "") }}' as difference
    {%- endif %}
{%- endif %}
{% endtest %}
