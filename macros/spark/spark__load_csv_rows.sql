{#-
    Replaces the table of a seed in one statement, where dbt-spark drops, creates and inserts: readers never miss the
    table, a killed run leaves the old one, and two runs at once do not both insert. A seed that did not change (its
    checksum stands in the table's properties) is left alone.
-#}
{% macro spark__load_csv_rows(model, agate_table) %}
    {%- do check_seed_columns(model, agate_table.column_names) -%}
    {%- set types = model['config'].get('column_types', {}) -%}
    {%- set checksum = local_md5(model['checksum']['checksum'] ~ tojson(types)) -%}
    {%- set existing = adapter.get_relation(database=this.database, schema=this.schema, identifier=this.identifier) -%}
    {%- set found = [] -%}
    {%- if existing is not none -%}
        {%- for row in run_query('show tblproperties ' ~ this) if row[0] == 'watershed.seed_checksum' -%}
            {%- do found.append(row[1]) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- set sql -%}
create or replace table {{ this }}
using delta
tblproperties ('watershed.seed_checksum' = '{{ checksum }}')
as select * from values
        {%- for row in agate_table.rows %}
    ({% for cell in row -%}
        try_cast({{ 'null' if cell is none else sql_text(cell | string) }} as {{ types[agate_table.column_names[loop.index0]] }})
        {{- ", " if not loop.last }}
        {%- endfor %}){{ "," if not loop.last }}
        {%- endfor %}
as seed_rows ({{ agate_table.column_names | join(', ') }})
    {%- endset -%}
    {%- if checksum not in found or should_full_refresh() -%}
        {%- do run_query(sql) -%}
    {%- endif -%}
    {{ return(sql) }}
{% endmacro %}
