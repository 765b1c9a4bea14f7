{#- The opcode as sent; a control event has none and is named by its source id. -#}
{% macro databus_operation() -%}
case
    when is_data then opcode
    when source_id = -2 then 'END_OF_PERIOD'
    when source_id = -3 then 'CHECKPOINT'
    when source_id = -51 then 'SCN_REGRESS'
    when source_id between -49 and -5 then 'ERROR'
    when source_id < 0 then 'CONTROL'
end
{%- endmacro %}
