{#-
    Prints at the end of a run: seeds with an overlong line, skipped typed snapshots, and failed or warned tests in a
    few lines each, with the sources, an example of each reason and the remedy. No payload is printed.
-#}
{% macro tell_tests(results) -%}
{%- set shown = ['source_name', 'table_name', 'reason_code', 'failed_column', 'problem', 'remedy', 'difference'] -%}
{%- set lines, reasons, reason_codes = [], [], ref('reason_codes') -%}
{%- for result in results if execute and result.node.resource_type == 'seed' and seed_problem(result) -%}
    {%- do lines.append('\nERROR ' ~ result.node.name ~ ': ' ~ seed_problem(result)) -%}
{%- endfor -%}
{%- if execute and left_out_snapshots(results) -%}
    {%- do lines.append('\n' ~ left_out_snapshots(results)) -%}
{%- endif -%}
{%- for result in results
    if execute and result.node.resource_type == 'test' and result.status | string in ('fail', 'warn') -%}
    {%- set test = '(' ~ result.node.compiled_code ~ '\n)' -%}
    {%- set columns = run_query('describe query select * from ' ~ test).columns[0].values() | list -%}
    {%- set groups = columns | select('in', shown) | list -%}
    {%- set place = "topic || '/' || partition || '/' || offset" if 'offset' in columns else 'cast(null as string)' -%}
    {%- set detail = 'reason_detail' if 'reason_detail' in columns else 'cast(null as string)' -%}
    {%- set rows = run_query(
        'select ' ~ (groups + ['count(*)', 'min(' ~ place ~ ')', 'min_by(' ~ detail ~ ', ' ~ place ~ ')']) | join(', ')
        ~ ' from ' ~ test ~ ' group by ' ~ (groups | join(', ') or 'true') ~ ' order by all limit 11'
    ).rows -%}
    {%- do lines.append(
        '\n' ~ result.status | string | upper ~ ' ' ~ result.node.name ~ ': '
        ~ (result.node.description | trim | replace('\n', ' ') or 'see ' ~ result.node.original_file_path)
    ) -%}
    {%- for row in rows[:10] -%}
        {%- set cells = dict(zip(groups, row.values())) -%}
        {%- set said = [] -%}
        {%- for name in groups if name != 'remedy' and cells[name] is not none -%}
            {%- do said.append(cells[name]) -%}
        {%- endfor -%}
        {%- set count, example, found = row.values()[-3:] -%}
        {%- if count > 1 or example is not none -%}
            {%- do said.append(count ~ ' found' ~ (', such as ' ~ example if example is not none else '')) -%}
        {%- endif -%}
        {%- do lines.append('  ' ~ said | join(', ') ~ (' (' ~ found ~ ')' if found is not none else '')) -%}
        {%- if cells.remedy -%}{%- do lines.append('    ' ~ cells.remedy) -%}{%- endif -%}
        {%- if cells.reason_code and cells.reason_code not in reasons -%}
            {%- do reasons.append(cells.reason_code) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if rows | length > 10 -%}{%- do lines.append('  and more') -%}{%- endif -%}
{%- endfor -%}
{%- if reasons -%}
    {%- do lines.append('\nWhat to do about the reasons (' ~ target.schema ~ '.quarantine has the messages):') -%}
    {%- for row in run_query(
        'select reason_code, remedy from ' ~ reason_codes
        ~ " where reason_code in ('" ~ reasons | join("', '") ~ "')"
    ).rows -%}{%- do lines.append('  ' ~ row[0] ~ ': ' ~ row[1]) -%}{%- endfor -%}
{%- endif -%}
{%- if lines -%}
    {%- if env_var('WATERSHED_SAMPLES', '') -%}
        {%- do lines.append('\nThe samples hold broken messages on purpose: warnings about them are expected.') -%}
    {%- endif -%}
    {%- do log('What was found:' ~ lines | join('\n'), info=true) -%}
{%- endif -%}
{%- endmacro %}
