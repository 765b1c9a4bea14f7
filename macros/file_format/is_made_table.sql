{#-
    Whether a relation stands there as a table that Watershed made. One of the other format is somebody's data: it is
    not made anew without being asked, and nothing can be merged into it. Of Iceberg's tables Hive, which dbt asks for
    the list, knows by a property.
-#}
{% macro is_made_table(standing) -%}
    {%- if standing is none or standing.is_view -%}{{ return(false) }}{%- endif -%}
    {%- set is_of_iceberg = 'table_type=ICEBERG' in (standing.information or '') -%}
    {%- set found = 'delta' if standing.is_delta else 'iceberg' if is_of_iceberg else '' -%}
    {%- set wanted = config.get('file_format') -%}
    {%- if found and found != wanted -%}
        {{ exceptions.raise_compiler_error(
            standing ~ " is a table of " ~ found ~ ", and WATERSHED_FILE_FORMAT is " ~ wanted ~ ". Set it to " ~ found
            ~ ", build into another schema (WATERSHED_SCHEMA), or drop the tables of this one."
        ) }}
    {%- endif -%}
    {{ return(found == wanted) }}
{%- endmacro %}
