{#- What the table of a typed snapshot has noted when it was built last; nothing if it is to be made. Asked once a run. -#}
{% macro snapshot_state(relation) -%}
    {%- set states = run_notes().setdefault('snapshot_states', {}) -%}
    {%- if relation | string not in states -%}
        {%- set standing = load_cached_relation(relation) -%}
        {%- do states.update({
            relation | string: relation_state(standing) if is_made_table(standing) else {}
        }) -%}
    {%- endif -%}
    {{ return(states[relation | string]) }}
{%- endmacro %}
