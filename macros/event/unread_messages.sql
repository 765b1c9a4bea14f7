{#-
    What events has not read yet (groups of messages_by_batch), whether one of these messages landed before the newest
    that was read (is_late), how many events there are, when the last of them was appended (appended_at, microseconds),
    and what is to be noted (to_note, JSON) for runs to come. Asked once a run: a hook that asks behind the append gets
    the same answer. Batches are compared one by one, not with a watermark, so a batch that commits late is read late
    and not skipped.

    Of many batches only those behind those that are noted as read: while landing and events have as many rows up
    to there as they had then, nothing has come between. How many rows it has a table tells without being read.
-#}
{% macro unread_messages() -%}
{%- if 'unread_messages' not in run_notes() -%}
    {%- set nothing = {'batch_id': none, 'messages': 0, 'events': 0, 'landed_at': 0, 'appended_at': 0} -%}
    {%- set noted = fromjson(relation_state(this).read_batches | default('null', true)) if is_incremental() else none -%}
    {%- set known, counted = noted or nothing, messages_by_batch(noted.batch_id if noted else none) -%}
    {%- set behind = [counted.groups | sum(attribute='messages'), counted.groups | sum(attribute='events')] -%}
    {%- if noted and counted.all != [known.messages + behind[0], known.events + behind[1]] -%}
        {%- set known, counted = nothing, messages_by_batch() -%}
    {%- endif -%}
    {%- set groups = counted.groups -%}
    {%- set unread = groups | selectattr('is_unread') | list -%}
    {%- set newest = ([known.landed_at] + groups | map(attribute='read_at') | list) | max -%}
    {%- set appended_at = ([known.appended_at | default(0)] + groups | map(attribute='appended_at') | list) | max -%}
    {%- set to_note = {} -%}
    {#- Only what stands before all that is unread: the next run looks at these batches too. -#}
    {%- for read in groups | rejectattr('is_unread') | selectattr('last_batch_id')
        if unread | selectattr('batch_id', 'le', read.last_batch_id) | list | length == 0 -%}
        {%- do to_note.update({
            'batch_id': read.last_batch_id, 'messages': known.messages + read.messages,
            'events': known.events + read.events, 'landed_at': newest, 'appended_at': appended_at,
        }) -%}
    {%- endfor -%}
    {%- set messages = groups | sum(attribute='messages') -%}
    {%- set events = known.events + groups | sum(attribute='events') -%}
    {#- To ask for the totals takes as long as some 250 batches, of a file each. -#}
    {%- set are_many = messages > var('few_events') or groups | sum(attribute='batches') > 250 -%}
    {%- set is_worth_it = (to_note and are_many) or (noted and not known.batch_id) -%}
    {%- do run_notes().update({'unread_messages': {
        'groups': unread,
        'is_late': unread | selectattr('landed_at', 'lt', newest) | list | length > 0,
        'events': events,
        'appended_at': appended_at,
        'to_note': tojson(to_note or none) if is_worth_it else '',
    }}) -%}
    {%- do fit_session(known.messages + messages, unread | sum(attribute='messages'), is_first=(events == 0)) -%}
{%- endif -%}
{{ return(run_notes().unread_messages) }}
{%- endmacro %}
