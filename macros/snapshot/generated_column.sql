{#-
    A column of a generated snapshot, by the value table of its family. What no kind holds exactly keeps its text beside
    it; what no table knows is text. Labels are not written down: they come with each row.
-#}
{% macro generated_column(column, family, taken) -%}
{%- set source_type = column.type or 'string' -%}
{%- set kind = value_kind({'type': source_type}, family) | trim -%}
{%- set name = kind.split('(')[0] | trim -%}
{%- set digits = modules.re.findall('[0-9]+', kind) if name == 'decimal' else [] -%}
{%- set made = {'name': column.name, 'type': source_type} -%}
{%- if name not in known_kinds() or (family is none and column.type) -%}
    {%- do made.update({'type': 'string'}) -%}
{%- elif name == 'decimal' and not digits -%}
    {%- do made.update({'type': 'decimal(38,18)', 'keep_text': true}) -%}
{%- elif digits and digits[0] | int > 38 -%}
    {%- do made.update({'type': 'decimal(38,' ~ [digits[1] | default(0) | int, 38] | min ~ ')', 'keep_text': true}) -%}
{%- elif name in ('enum_index', 'set_mask') -%}
    {%- do made.update({'type': source_type.split('(')[0]}) -%}
{%- elif name == 'double' and family == 'datahub' -%}
    {#- A DECIMAL of the source comes as DOUBLE too. -#}
    {%- do made.update({'keep_text': true}) -%}
{%- endif -%}
{%- if column.get('default_value') is not none -%}
    {%- do made.update({'default': column.default_value}) -%}
{%- endif -%}
{%- if column.get('aliases') -%}{%- do made.update({'aliases': column.aliases}) -%}{%- endif -%}
{%- set wanted = column.name if modules.re.fullmatch('[A-Za-z0-9_]+', column.name) else safe_name(column.name) -%}
{%- set free = [wanted] -%}
{%- for number in range(2, 1000) if free[-1] | lower in taken or (free[-1] ~ '_text') | lower in taken -%}
    {%- do free.append(wanted ~ '_' ~ number) -%}
{%- endfor -%}
{%- do taken.extend([free[-1] | lower, (free[-1] ~ '_text') | lower] if made.keep_text else [free[-1] | lower]) -%}
{%- if free[-1] != column.name -%}{%- do made.update({'alias': free[-1]}) -%}{%- endif -%}
{{ return(made) }}
{%- endmacro %}
