{#- A table of the other format may hold user data and is never replaced implicitly, and nothing can be merged into it.
    Hive, which dbt asks for the list of relations, knows Iceberg tables by a property. -#}
{% macro is_own_table(existing) -%}
    {%- if existing is none or existing.is_view -%}{{ return(false) }}{%- endif -%}
    {%- set is_of_iceberg = 'table_type=ICEBERG' in (existing.information or '') -%}
    {%- set found = 'delta' if existing.is_delta else 'iceberg' if is_of_iceberg else '' -%}
    {%- set expected = config.get('file_format') -%}
    {%- if found and found != expected -%}
        {{ exceptions.raise_compiler_error(
            existing ~ " is a table of " ~ found ~ ", and WATERSHED_FILE_FORMAT is " ~ expected ~ ". Set it to " ~ found
            ~ ", build into another schema (WATERSHED_SCHEMA), or drop the tables of this one."
        ) }}
    {%- endif -%}
    {{ return(found == expected) }}
{%- endmacro %}
