"""`make run`, next to a server: lands the samples, builds, shows the tables; a line per step with its time."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time

from build import INTERRUPTED, LOG, Build, step

from watershed.errors import WatershedError
from watershed.explain import explain
from watershed.landing.land import LandOptions, land
from watershed.landing.schemas import schemas
from watershed.samples import SAMPLES, SCHEMA
from watershed.sql import sql
from watershed.tables import OutputFormat

# Tests of facts that hold by construction; `make test` runs them.
BY_CONSTRUCTION = tuple(f"test_name:{test}" for test in ("has_columns", "has_no_nulls", "unique_combination"))
ORDER = '{"order_id":2}'
ORDERS = f"{SCHEMA}.snapshot_datahub_blob__orders"
QUERIES = {
    f"Outcomes of the messages ({SCHEMA}.source_outcomes):": f"""
        select source_name, messages, changes, control_events, duplicates, quarantined from {SCHEMA}.source_outcomes
        order by source_name""",
    f"Current orders of the Blob source ({ORDERS}):": f"""
        select order_id, customer_id, status, amount, placed_at, note, cast_failures from {ORDERS} order by order_id""",
    f"History of order 2 ({SCHEMA}.row_history):": f"""
        select last_change_type, sequence_number, valid_from, valid_to, is_current, row_image
        from {SCHEMA}.row_history
        where source_name = 'datahub_blob' and table_name = 'orders' and row_key = '{{"order_id":2}}'
        order by valid_from_order""",
}
# What to type in the shell of `make samples`; test_readme.py does.
IN_SHELL = (
    f'watershed sql "select * from {ORDERS}"',
    f'watershed sql "select source_name, reason_code, reason_detail from {SCHEMA}.quarantine"',
    "watershed status",
    "make report",
)
NEXT = f"""
The samples have a home (.watershed-samples) and a schema ({SCHEMA}) of their own, apart from your data. Look at them:
  make samples             a shell with a server on them, until exit; in it for example
    {f"{chr(10)}    ".join(IN_SHELL)}
  make run                 again: nothing new, nothing changes
Your own data: "Land your own data" in README.md."""


def land_samples() -> str:
    """Land schemas and messages; return a line about the landed messages."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        for source in ("databus_binary", "databus_json"):
            schemas(source, sorted((SAMPLES / "avro_schemas").glob("*.avsc")))
        land(None, [], SAMPLES / "messages", LandOptions())
    lines = output.getvalue().splitlines()
    return next(line.rstrip(".") for line in lines if line.startswith(("Landed", "Nothing new")))


def main() -> int:
    """Do all of it; return the exit code."""
    with step("the server has started", float(os.environ.get("STARTED", time.time()))):
        pass
    with step("samples") as notes:
        notes.append(land_samples())
    build = Build()
    if not build.run("--exclude", "test_type:unit", *BY_CONSTRUCTION):
        return 1
    if build.warned:
        print(
            f"          Warnings are expected: {build.warned} tests find broken messages and tables without a\n"
            "          key among the samples; with messages of your own, run watershed findings"
        )
    print(f"          Full log: {LOG}")
    for title, query in QUERIES.items():
        print(f"\n{title}", flush=True)
        sql(query, OutputFormat.TABLE)
    command = f"watershed explain --source datahub_blob --table orders '{ORDER}'"
    print(f"\nExplanation of its current state ({command}):", flush=True)
    explain("datahub_blob", "orders", ORDER)
    print(NEXT)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except WatershedError as error:
        sys.exit(f"make run: {error}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
