{#- A summary of the changes of one row (rows of explained_changes) in a few lines. -#}
{% macro explained_result(changes) -%}
{%- set reasons = {
    'first': 'it is the only change',
    'phase': 'changes come after rows of a full load',
    'sequence': 'its sequence is the highest',
    'serial': 'its serial is the highest of its time',
    'time': 'its time is the latest, for the changes lie in several partitions and have no sequence',
    'image': 'a postimage comes after a preimage',
    'position': 'it lies behind the others in its partition, where position orders what the sequence leaves open',
    'chain': 'no other change of its time starts from the state that it leads to',
    'tie': 'nothing but its position tells it from the one before it: a tie, decided by a fixed rule and no more',
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
    {%- do lines.append('State: gone; truncates of the table behind it: ' ~ newest.truncates ~ '.') -%}
    {%- do lines.append('Image before the truncate: ' ~ newest.folded_image) -%}
{%- else -%}
    {%- do lines.append('State: live.') -%}
    {%- do lines.append('Image: ' ~ newest.folded_image) -%}
{%- endif -%}
{{ return(lines | join('\n')) }}
{%- endmacro %}
