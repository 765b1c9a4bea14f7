"""Typed snapshots that are older than the current rows, because a selector left them out of builds."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from watershed.home import target_dir
from watershed.server.client import literal, quote


class SnapshotModel(NamedTuple):
    """A typed snapshot of the project: its name and the rows that it holds."""

    name: str
    source_name: str
    table_name: str
    database_name: str | None
    schema_name: str | None


class LeftOut(NamedTuple):
    """A typed snapshot that is older than row_states."""

    name: str
    source_name: str


def snapshot_models(project_dir: Path) -> list[SnapshotModel]:
    """Return the typed snapshots in dbt's manifest; none where dbt has not parsed the project yet."""
    target = target_dir(project_dir)
    try:
        nodes = json.loads((target / "manifest.json").read_text("utf-8"))["nodes"].values()
    except (OSError, ValueError, KeyError):
        return []
    found = []
    for node in nodes:
        rows = node["config"].get("meta", {}).get("snapshot_of")
        if rows and node["config"]["materialized"] == "incremental_table":
            found.append(SnapshotModel(node["name"], *(rows[name] for name in SnapshotModel._fields[1:])))
    return sorted(found)


def left_out_query(models: Sequence[SnapshotModel], schema: str, tables: Collection[str]) -> str | None:
    """Return the query for the snapshots that are older than row_states; None if no snapshot table exists.

    Counts the rows that macros/build/snapshot_step.sql counts: a deleted row only while the snapshot has it, and no row
    if no newer append changed the table, because a rebuild of row_states gives carried rows the newest append of all
    sources.

    Args:
        models: The typed snapshots.
        schema: The schema of the published models, without quotes.
        tables: The tables that exist there, in lower case, as Spark names them.
    """
    parts = [_query(model, quote(schema)) for model in models if model.name.lower() in tables]
    return "\nunion all\n".join(parts) or None


def _query(model: SnapshotModel, schema: str) -> str:
    place = " and ".join(
        f"states.{name} = {literal(value)}"
        for name, value in zip(SnapshotModel._fields[1:], model[1:], strict=True)
        if value is not None
    )
    snapshot = f"{schema}.{quote(model.name)}"
    return f"""select {literal(model.name)} as name, {literal(model.source_name)} as source_name where exists (
    select 1 from {schema}.row_states as states
    left join {snapshot} as snapshot on states.row_id = snapshot.row_id
    where {place} and least(states.append_number, (
        select coalesce(max(append_number), 0) from {schema}.appends
        where source_name = {literal(model.source_name)} and (
            lower(table_name) = lower({literal(model.table_name)}) or source_name in (
                select source_name from {schema}.appends where truncates > 0 and table_name is null
            )
        )
    )) > (select coalesce(max(append_number), 0) from {snapshot})
        and coalesce(states.changed_at > (select max(changed_at) from {snapshot}), true)
        and (not states.is_deleted or snapshot.row_id is not null)
)"""
