-- The changes of rows as the fold takes them. Its SQL is a macro: row_states takes it without key_moves if it can.
{{ row_changes(ref('int_sent_changes'), ref('key_moves')) }}
