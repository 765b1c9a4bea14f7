{#- A summary of the changes of one row (rows of explained_changes) in a few lines. -#}
{% macro explained_result(changes) -%}
{%- set reasons = {
    'first': 'it is the only change',
    'phase': 'changes come after rows of a full load',
    'sequence': 'its sequence is the highest',
    'serial': 'its serial is the highest of its time',
    'time': 'its time is the latest, because the changes are in several partitions and have no sequence',
    'image': 'a postimage comes after a preimage',
    'position': 'it comes after the others in its partition, because position breaks ties of the sequence',
    'chain': 'no other change of its time starts from the state that it leads to',
    'tie': 'only its position distinguishes it from the previous one: a tie, decided by an arbitrary fixed rule',
} -%}
{%- set newest = changes | selectattr('part', 'equalto', 'newest') | first -%}
{%- set is_before_truncate = newest.truncates | int > 0 -%}
{%- set lines = [
    'Change ' ~ newest.number ~ ' (' ~ newest.change_type ~ ', change_id ' ~ newest.change_id ~ ') decides: '
    ~ reasons[newest.decided_by] ~ '.',
] -%}
{%- if newest.is_deleted -%}
    {%- do lines.append('State: deleted.') -%}
{%- elif is_before_truncate -%}
    {%- do lines.append('State: gone; later truncates of the table: ' ~ newest.truncates ~ '.') -%}
    {%- do lines.append('Image before the truncate: ' ~ newest.folded_image) -%}
{%- else -%}
    {%- do lines.append('State: live.') -%}
    {%- do lines.append('Image: ' ~ newest.folded_image) -%}
{%- endif -%}
{{ return(lines | join('\n')) }}
{%- endmacro %}
