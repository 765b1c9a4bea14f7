{% macro typed_rows(columns, kinds, time_zone) -%}
{%- set reads_labels = 'enum_index' in kinds or 'set_mask' in kinds -%}
typed as (
    select
        row_id, row_key, columns, last_change_id, sequence_number, event_at, append_number, changed_at, row_is_deleted
    {%- for column in columns %},
        {{ typed_column(column, kinds[loop.index0]) | indent(8) }} as {{ identifier(column) }}
    {%- endfor %}
    from (
        select
            rows.*,
            rows.is_deleted as row_is_deleted,
            read_columns(rows.row_image) as columns
            {%- if time_zone %},
            {{ time_zone | indent(12) }} as time_zone
            {%- endif %}
            {%- if reads_labels %},
            read_columns(changelog.source_metadata['column_types']) as declared_types
            {%- endif %}
        from rows
        {%- if reads_labels %}
        left join {{ ref('changelog') }} as changelog on rows.last_change_id = changelog.change_id
        {%- endif %}
    )
)

select
{%- for column in columns %}
    {{ identifier(column) }},
    {%- if column.keep_text %}
    {{ column_text(column) | indent(4) }} as {{ identifier({'name': (column.alias or column.name) ~ '_text'}) }},
    {%- endif %}
{%- endfor %}
    {{ cast_failures(columns, kinds) | indent(4) }} as cast_failures,
    row_key, last_change_id, sequence_number, event_at, row_id, append_number
{%- endmacro %}
