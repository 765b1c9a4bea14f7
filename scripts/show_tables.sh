#!/bin/sh
# The end of `make run`: what became of the messages, two snapshots, and what to try next.
set -eu
show() { printf '\n%s\n' "$1"; .venv/bin/watershed sql "$2"; }
show "What became of the messages (watershed.source_outcomes):" \
    "select source_name, messages, changes, control_events, duplicates, quarantined from watershed.source_outcomes
     order by source_name"
show "Orders as the Blob messages leave them (watershed.snapshot_datahub_blob__orders):" \
    "select order_id, customer_id, status, amount, placed_at, note, cast_failures
     from watershed.snapshot_datahub_blob__orders order by order_id"
show "Orders as the Tuple messages leave them (watershed.snapshot_datahub_tuple__orders):" \
    "select order_id, customer_id, status, amount, placed_at, note, cast_failures
     from watershed.snapshot_datahub_tuple__orders order by order_id"
cat <<'END'

Next:
  make serve                                            keep a server running (in a second shell)
  .venv/bin/watershed sql "select * from watershed.current_rows"
  .venv/bin/watershed sql "select reason_code, reason_detail from watershed.quarantine"
  .venv/bin/dbt build --profiles-dir profiles           build again: nothing new, nothing changes
  make docs                                             the docs site
END
