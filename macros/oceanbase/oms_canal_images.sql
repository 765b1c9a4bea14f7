{#- The row images of a Canal message, row by row, the row before an update in front of the row after it. What `old` says
    comes along as it is: functions of Python cannot be called in here. -#}
{% macro oms_canal_images() -%}
flatten(transform(
    arrays_zip(data_rows, old_rows),
    pair -> transform(
        case operation_kind
            when 'update' then array('preimage', 'postimage')
            when 'delete' then array('preimage')
            else array('postimage')
        end,
        side -> named_struct('side', side, 'data', pair.data_rows, 'old', pair.old_rows)
    )
))
{%- endmacro %}
