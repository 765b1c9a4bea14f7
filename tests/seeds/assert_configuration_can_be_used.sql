-- A row per invalid cell of the seeds that users edit. The unused ref keeps a failure from stopping a build (macro
-- judged_sources), so that a wrong cell affects only its own source.
{% do ref('quarantine') %}
{% set formats = var('formats') | list -%}
with sources as (
    select
        *,
        count(*) over (partition by source_name) as times,
        -- A file without the columns order_by and unavailable_value is right.
        from_json(to_json(struct(*)), 'map<string, string>') as cells,
        split('{{ formats | join(" ") }}', ' ') as known_formats
    from {{ ref('cdc_sources') }}
),

known as (
    select collect_set(source_name) as names
    from {{ ref('cdc_sources') }}
),

rules as (
    select
        *,
        row_number() over (order by to_json(struct(table_keys.*))) as rule_number,
        array(source_name, database_name, schema_name, table_name) as place,
        size(array_compact(place)) as specificity,
        {{ name_list('key_columns') }} as key_names,
        {{ name_list('lob_columns') }} as lob_names
    from {{ ref('table_keys') }} as table_keys
),

rule_pairs as (
    select one.*
    from rules as one
    inner join rules as other
        on one.rule_number < other.rule_number
            and one.specificity = other.specificity
            and forall(zip_with(one.place, other.place, (left, right) -> coalesce(left = right, true)), fits -> fits)
),

databus as (
    select
        databus_sources.*,
        count(*) over (partition by databus_sources.source_name, databus_sources.source_id) as times,
        cdc_sources.format
    from {{ ref('databus_sources') }} as databus_sources
    left join {{ ref('cdc_sources') }} as cdc_sources on databus_sources.source_name = cdc_sources.source_name
),

problems as (
    select
        'cdc_sources' as seed,
        source_name,
        stack(
            7,
            'source_name', source_name, 'a name',
            source_name is null,
            'source_name', source_name, 'a name without single quotes', source_name rlike r"^'.*'$",
            'source_name', source_name, 'a line of its own for each source', times > 1,
            'format', format, 'a format of dbt_project.yml, section formats',
            not exists(known_formats, name -> name = format),
            'time_zone', time_zone, 'an IANA name such as Asia/Shanghai, or nothing for UTC',
            time_zone is not null and try_cast('2000-01-01 00:00:00 ' || time_zone as timestamp) is null,
            'order_by', cells['order_by'], 'position, or nothing for the order of the format',
            cells['order_by'] <> 'position',
            'unavailable_value', cells['unavailable_value'], 'hex: and pairs of hexadecimal digits, or another text',
            cells['unavailable_value'] rlike r'^hex:(?!([0-9A-Fa-f]{2})+\z)'
        ) as (cell, found, expected, is_wrong)
    from sources
    union all
    select
        'table_keys' as seed,
        rules.source_name,
        stack(
            4,
            'key_columns', rules.key_columns, 'names without single quotes', rules.key_columns rlike r"^'.*'$",
            'source_name', rules.source_name, 'a source of cdc_sources.csv, or nothing for any',
            rules.place[0] is not null and not exists(known.names, name -> name = rules.place[0]),
            'key_columns', rules.key_columns, 'names with commas between them, or a JSON array of names',
            rules.key_columns is not null and not coalesce(forall(rules.key_names, name -> name <> ''), false),
            'lob_columns', rules.lob_columns, 'names with commas between them, or a JSON array of names',
            rules.lob_columns is not null and not coalesce(forall(rules.lob_names, name -> name <> ''), false)
        ) as (cell, found, expected, is_wrong)
    from rules
    cross join known
    union all
    select
        'table_keys' as seed,
        source_name,
        'source_name to table_name' as cell,
        concat_ws(',', transform(place, cell -> coalesce(cell, ''))) as found,
        'one rule for a table: another fits the same tables and is as specific, so that chance decides' as expected,
        true as is_wrong
    from rule_pairs
    union all
    select
        'databus_sources' as seed,
        source_name,
        stack(
            3,
            'source_name', source_name, 'a Databus source of cdc_sources.csv',
            not coalesce(startswith(format, 'databus_'), false),
            'source_id', cast(source_id as string), 'the number that events carry, once for each source',
            source_id is null or times > 1,
            'table_name', table_name, 'a name', table_name is null
        ) as (cell, found, expected, is_wrong)
    from databus
)

select distinct
    source_name,
    'seeds/' || seed || '.csv, ' || cell || ': expected ' || expected || ', found '
    || coalesce('"' || found || '"', 'nothing') as problem,
    'Correct seeds/' || seed || '.csv, then build again.' as remedy
from problems
where is_wrong
