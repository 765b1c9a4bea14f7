{#-
    The row images of a Canal message, row by row, the row before an update in front of the row after it. What `old`
    says comes along as it is: functions of Python cannot be called in here. Nothing tells a whole row after an update
    from one without its unchanged columns (NOBLOB: not even the types name them), so the fold lays each over what is
    known of its row (fold_scope given), or of the row under its old key (partial).
-#}
{% macro oms_canal_images() -%}
flatten(transform(
    arrays_zip(data_rows, old_rows),
    pair -> transform(
        case operation_kind
            when 'update' then array('preimage', 'postimage')
            when 'delete' then array('preimage')
            else array('postimage')
        end,
        side -> named_struct(
            'side', side,
            'data', pair.data_rows,
            'old', pair.old_rows,
            'fold_scope', case
                when operation_kind <> 'update' or side = 'preimage' then null
                -- MySQL's names ignore case.
                when arrays_overlap(
                    {{ json_names('lower(key_names)') }}, json_object_keys(lower(pair.old_rows))
                ) then 'partial'
                else 'given'
            end
        )
    )
))
{%- endmacro %}
