"""The time that Spark and Delta need on this machine for parts of the models: parsing, writing, and a plain fold.

The times of parsing and writing add up to a lower bound of `events`.
The fold is the statement that DuckDB runs, in Spark; another statement may be faster.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.machine import Timing
from benchmarks.watershed_side import SCHEMA, Project

MODEL = "stg_datahub_blob__events"
STATISTICS_COLUMNS = "batch_id,source_name,outcome,append_number,event_at,sequence_number,fold_scope,ddl_kind"


def open_messages(project: Project) -> Timing:
    """Read and parse all messages and compute the columns of their changes, without output; return the time."""
    opened = f"select * except (source_metadata) from ({compiled_staging(project)})"
    return project.sql(f"select bit_xor(xxhash64(*)) from ({opened})")


def write_events(project: Project) -> Timing:
    """Write the finished events again, unchanged; return the time."""
    return project.write_table("events", f"select * from {SCHEMA}.events", STATISTICS_COLUMNS)


def fold(project: Project) -> Timing:
    """Fold the events as DuckDB does (`duckdb_side`), by the last change of each key only; return the time."""
    fields = "row_image, change_id as last_change_id, change_type as last_change_type, sequence_number, event_at"
    names = "source_name, format, database_name, schema_name, table_name, row_key"
    return project.write_table(
        "row_states",
        "select * except (newest), newest.*, newest.last_change_type in ('delete', 'update_preimage') as is_deleted "
        "from ("
        f"select {names}, max_by(struct({fields}, change_order), change_order) as newest from {SCHEMA}.events "
        f"where outcome = 'change' and row_key is not null group by {names})",
        "source_name,table_name",
    )


def compiled_staging(project: Project) -> str:
    """Return the SQL of the staging model as dbt compiled it."""
    files = list(project.target.glob(f"compiled/**/{MODEL}.sql"))
    if len(files) != 1:
        raise ValueError(f"{len(files)} compiled files of {MODEL} in {project.target}; one is expected")
    return Path(files[0]).read_text(encoding="utf-8")
