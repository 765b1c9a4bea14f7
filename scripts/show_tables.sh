#!/bin/sh
# The end of `make run`: what became of the messages, a snapshot, the history of a row, and what to try next.
set -eu
show() { printf '\n%s\n' "$1"; .venv/bin/watershed sql "$2"; }
show "What became of the messages (watershed.source_outcomes):" \
    "select source_name, messages, changes, control_events, duplicates, quarantined from watershed.source_outcomes
     order by source_name"
show "Orders as the Blob messages leave them (watershed.snapshot_datahub_blob__orders):" \
    "select order_id, customer_id, status, amount, placed_at, note, cast_failures
     from watershed.snapshot_datahub_blob__orders order by order_id"
show "How order 2 came to be (watershed.row_history):" \
    "select last_change_type, sequence_number, valid_from, valid_to, is_current, row_image
     from watershed.row_history
     where source_name = 'datahub_blob' and table_name = 'orders' and row_key = '{\"order_id\":2}'
     order by valid_from_order"
printf '\nAnd why (dbt run-operation explain_row):\n'
.venv/bin/dbt --quiet run-operation explain_row --args \
    '{source_name: datahub_blob, table_name: orders, row_key: "{\"order_id\":2}"}'
cat <<'END'

Next:
  make serve                                            keep a server running (in a second shell)
  .venv/bin/watershed sql "select * from watershed.current_rows"
  .venv/bin/watershed sql "select reason_code, reason_detail from watershed.quarantine"
  .venv/bin/dbt build                                   build again: nothing new, nothing changes
  make docs                                             the docs site
  make report                                           the health of all sources on one page
END
