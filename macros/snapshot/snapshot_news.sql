{#-
    What a typed snapshot has to do: whether all of it is to be made (is_whole) or some rows (has_changes), the time of
    the append behind which their states lie (since), whether the table was ever emptied (was_emptied), and the state to
    note when it is done, also if nothing changed but much was read to know that (is_far): the next build need not read
    it again.
-#}
{% macro snapshot_news(known) -%}
    {%- set table = model.meta.snapshot_of -%}
    {%- if flags.EMPTY -%}
        {{ return({'is_whole': true, 'was_emptied': true, 'state': {'made_from': 'nothing (--empty)'}}) }}
    {%- endif -%}
    {%- set described = [] -%}
    {%- for name, column in model.columns.items() -%}
        {%- do described.append([name, column.description]) -%}
    {%- endfor -%}
    {%- set time_zone = time_zones().get(table.source_name) if table.reads_time_zone else none -%}
    {%- set made_from = local_md5(tojson([sql, time_zone, config.get('tblproperties'), config.get('partition_by')])) -%}
    {%- set since = known.events_until | default(0) | int -%}
    {%- set appends = snapshot_appends(since) -%}
    {%- set is_other = known.made_from != made_from or known.rows_table != appends.rows_table -%}
    {%- if is_other -%}{%- set appends = snapshot_appends(0) -%}{%- endif -%}
    {%- set places, emptied = [], [] -%}
    {%- for place in appends.places
        if place.source_name == table.source_name and place.table_name == table.table_name
        and table.database_name in (none, place.database_name) and table.schema_name in (none, place.schema_name) -%}
        {%- do emptied.append(place) if place.emptied_at > since -%}
        {%- if is_other or place.changed_at > since -%}
            {%- do places.append(tojson([place.format, place.database_name, place.schema_name])) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set known_places = [] if is_other else fromjson(known.places) -%}
    {%- set all_places = (known_places + places) | unique(case_sensitive=true) | list -%}
    {{ return({
        'is_whole': is_other or emptied | length > 0 or (places | length > 0 and all_places | length > 1),
        'has_changes': places | length > 0,
        'is_far': appends.places | sum(attribute='events') > var('few_events'),
        'since': since,
        'was_emptied': emptied | length > 0 or appends.emptied_in is none
            or [table.source_name, table.table_name] in appends.emptied_in,
        'state': {
            'made_from': made_from,
            'described': local_md5(tojson([model.description, described])),
            'rows_table': appends.rows_table,
            'events_until': appends.until,
            'places': tojson(all_places),
        },
    }) }}
{%- endmacro %}
