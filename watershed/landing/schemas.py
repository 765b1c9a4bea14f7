"""`watershed schemas`: Avro writer schemas of Databus values, in landing.avro_schemas under both of their ids."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

from watershed.errors import WatershedError
from watershed.home import Home, find_home, find_project_dir
from watershed.landing.delta_files import OvertakenError, append, as_watershed_error
from watershed.landing.delta_reads import read_rows
from watershed.landing.tables import AVRO_SCHEMAS_SCHEMA, ensure_landing_tables
from watershed.lock import waiting_lock
from watershed.sources import read_sources
from watershed.tables import aligned
from watershed.texts import print_to_stderr

_STATISTICS_COLUMNS = ("source_name", "schema_id")


def schemas(source_name: str, paths: Sequence[Path]) -> None:
    """Store writer schemas for one Databus source, one record schema per file (.avsc), and print the result.

    Raises: WatershedError: the source is unknown or not a Databus source, or a file is not an Avro record schema;
        nothing is stored then.
    """
    project_dir = find_project_dir()
    format_name = read_sources(project_dir).format_of(source_name)
    if not format_name.startswith("databus_"):
        raise WatershedError(
            f"Source {source_name!r} has the format {format_name}; only Databus values need Avro schemas.",
            "Name a source with the format databus_binary or databus_json.",
        )
    rows = [row for path in paths for row in _read_schema(source_name, path)]
    home = find_home(project_dir)
    ensure_landing_tables(home, on_wait=print_to_stderr)
    stored = _store(home, rows)
    for path in paths:
        ids = [row["schema_id"] for row in rows if row["file_name"] == path.name]
        state = "stored" if stored.intersection(ids) else "known already"
        print(f"{path.name}: {state} under {' and '.join(dict.fromkeys(ids))}")


def list_schemas(source_name: str | None) -> None:
    """Print the stored schemas of one source or of all."""
    rows = _stored(find_home(find_project_dir()), source_name)
    header = ["source", "schema id", "record", "file", "landed at"]
    cells = [
        [row["source_name"], row["schema_id"], row["record_name"], row["file_name"], f"{row['landed_at']:%F %T}"]
        for row in sorted(rows, key=lambda row: (row["source_name"], row["landed_at"], row["schema_id"]))
    ]
    print(aligned(header, cells) if cells else "No schema is stored.")


def remove_schemas(source_name: str, schema_ids: Sequence[str]) -> None:
    """Remove schemas of a source, each under both of its ids, and print the result.

    Raises:
        WatershedError: the source has no schema of one of these ids; nothing is removed then.
    """
    home = find_home(find_project_dir())
    with as_watershed_error(home), waiting_lock(home.landing_lock, print_to_stderr):
        rows = _stored(home, source_name)
        unknown = set(schema_ids) - {row["schema_id"] for row in rows}
        if unknown:
            raise WatershedError(
                f"Source {source_name!r} has no schema {min(unknown)!r}; nothing was removed.",
                "List the ids with: watershed schemas --list",
            )
        texts = {row["schema_text"] for row in rows if row["schema_id"] in schema_ids}
        gone = [row for row in rows if row["schema_text"] in texts]
        ids = ", ".join(f"'{row['schema_id']}'" for row in gone)
        source = source_name.replace("'", "''")
        DeltaTable(str(home.avro_schemas)).delete(f"source_name = '{source}' and schema_id in ({ids})")
    for row in gone:
        print(f"{row['file_name']}: removed {row['schema_id']} ({row['record_name']})")


def _stored(home: Home, source_name: str | None) -> list[dict[str, Any]]:
    if not DeltaTable.is_deltatable(str(home.avro_schemas)):
        return []
    rows = read_rows(home.avro_schemas, AVRO_SCHEMAS_SCHEMA.names)
    return [row for row in rows if source_name in (None, row["source_name"])]


def _read_schema(source_name: str, path: Path) -> list[dict[str, Any]]:
    """Return the rows of one file: one per id."""
    from watershed_udfs.databus.avro_schemas import key_columns_of, schema_ids
    from watershed_udfs.errors import PayloadError

    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
        schema = json.loads(text)
        if not isinstance(schema, dict) or schema.get("type") not in ("record", "error"):
            raise ValueError("the file contains no record schema")
        ids = schema_ids(raw)
        key_columns = key_columns_of(text)
    except OSError as error:
        raise WatershedError(
            f"{path} cannot be read: {error.strerror or error}.", "Name a file with an Avro record schema."
        ) from error
    except (PayloadError, ValueError) as error:
        raise WatershedError(
            f"{path} is not an Avro record schema: {error}.", "Expected the JSON text of one record schema (.avsc)."
        ) from error
    names = [schema["namespace"], schema["name"]] if schema.get("namespace") else [schema["name"]]
    return [
        {
            "source_name": source_name,
            "schema_id": schema_id,
            "schema_text": text,
            "record_name": ".".join(names),
            "key_columns": key_columns,
            "file_name": path.name,
        }
        for schema_id in dict.fromkeys(ids)
    ]


def _store(home: Home, rows: Collection[dict[str, Any]]) -> set[str]:
    """Append schemas that are not stored yet, in one commit; return the new ids."""
    with as_watershed_error(home), waiting_lock(home.landing_lock, print_to_stderr):
        new = {(row["source_name"], row["schema_id"]): row for row in rows}
        while True:
            with contextlib.suppress(OvertakenError):
                return _append_new(home, new)


def _append_new(home: Home, rows: Mapping[tuple[str, str], dict[str, Any]]) -> set[str]:
    known = _identities(home)
    landed_at = dt.datetime.now(dt.UTC)
    to_add = [row | {"landed_at": landed_at} for identity, row in rows.items() if identity not in known]

    def check_new(_: DeltaTable) -> bool:
        if (_identities(home) - known) & rows.keys():
            raise OvertakenError
        return False

    if to_add:
        batch = pa.RecordBatch.from_pylist(to_add, schema=AVRO_SCHEMAS_SCHEMA)
        # The landing lock belongs to one home; on a shared store another machine may do the same.
        is_done = check_new if home.store else None
        append(home, home.avro_schemas, [batch], _STATISTICS_COLUMNS, is_done=is_done)
    return {row["schema_id"] for row in to_add}


def _identities(home: Home) -> set[tuple[str, str]]:
    rows = read_rows(home.avro_schemas, ["source_name", "schema_id"])
    return {(row["source_name"], row["schema_id"]) for row in rows}
