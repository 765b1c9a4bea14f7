"""Typed snapshots from the types in messages: generated, built, tested, and regenerated when a type widens."""

from __future__ import annotations

import datetime as dt
import json
import re
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import Server
from databus_evolution import write_messages, write_schemas
from dbt_project import SAMPLE_MESSAGES, TABLES, Project, copy_project

pytestmark = pytest.mark.e2e
# Names of our own: those of the samples have models written by hand.
SOURCES = {
    "blob 商店": "datahub_blob",
    "light": "oms_default_extend_column_type",
    "canal": "oms_canal",
    "tuple": "datahub_tuple",
}
# In the order of the source, and not of their names.
TYPED_COLUMNS = {"order_id": "bigint", "status": "string", "placed_at": "timestamp_micros", "amount": '"decimal(18,2)"'}
BUS = "snapshot_bus__source_40"
BLOB = "snapshot_blob_x20e59586e5ba97___"
ORDERS = {
    f"{BLOB}orders": {
        "order_id": "bigint",
        "amount": "double",
        "amount_text": "string",
        "placed_at": "timestamp",
        "receipt": "binary",
    },
    "snapshot_light__orders": {"order_id": "decimal(20,0)", "amount": "decimal(38,18)", "placed_at": "timestamp"},
    "snapshot_canal__orders": {"order_id": "bigint", "amount": "decimal(38,2)", "status": "string"},
    "snapshot_tuple__orders": {"order_id": "bigint", "amount": "decimal(18,2)", "placed_at": "timestamp"},
}


def generate(project: Project, *options: str) -> subprocess.CompletedProcess[str]:
    return project.command("snapshots", *options)


def write_order(folder: Path, offset: int, types: dict[str, str], row: dict[str, object]) -> Path:
    """Write one Blob message whose schema gives these types."""
    message = {
        "schema": {
            "dataColumn": [{"name": name, "type": type_} for name, type_ in types.items()],
            "primaryKey": ["id"],
            "source": {"dbType": "MySQL", "dbName": "shop", "tableName": "It's {{ odd }}"},
        },
        "payload": {
            "op": "INSERT",
            "sequenceId": str(1767225600000000000 + offset),
            "after": {"dataColumn": row},
            "timestamp": {"eventTime": 1767229202000 + offset, "systemTime": 1767229202000 + offset},
        },
        "version": "0.0.1",
    }
    path = folder / f"order_{offset}.jsonl"
    path.write_text(json.dumps({"topic": "odd", "partition": 0, "offset": offset, "value": json.dumps(message)}) + "\n")
    return path


def check_older_schemas(project: Project) -> None:
    """Rows of an older Avro schema have the defaults, names and types of the newest one; the changelog has not."""
    images = [json.loads(image) for (image,) in project.rows("changelog where source_name = 'bus'", "row_image")]
    assert sorted({tuple(image) for image in images}, key=len) == [
        ("amount", "gone", "id", "receipt", "state"),
        ("amount", "id", "it's {{ odd }}", "late", "level", "note", "receipt", "seal", "status"),
    ]
    # Bytes, and columns with defaults and aliases, in one snapshot: Spark evaluates both in one statement.
    assert project.rows(BUS, "id, hex(receipt), hex(seal)") == [
        (1, "0041", "FF"),
        (2, None, "FF"),
        (3, "42", "43"),
        (4, "42", "43"),
    ]
    columns = "id, status, amount, level, it_x27_s_x207b7b20_odd_x207d7d_, note, late, gone, state, cast_failures"
    assert project.rows(BUS, columns) == [
        (1, "open", 7.0, "LOW", "it's \\ {{ odd }}", None, None, "x", "open", "[]"),
        (2, None, 2147483647.0, "LOW", "it's \\ {{ odd }}", None, None, "y", None, "[]"),
        (3, "paid", 0.5, "HIGH", None, "n", 5, None, None, "[]"),
        (4, None, 4.0, "LOW", "o", None, None, None, None, "[]"),
    ]


def test_generated_models_type_the_rows(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "generated_snapshots")
    for name, vendor_format in SOURCES.items():
        project.add_source(name, vendor_format, {"orders": "order_id"} if name == "tuple" else {})
    with (project.folder / "seeds" / "typed_columns.csv").open("a") as file:
        file.writelines(f"tuple,orders,{column},{kind}\n" for column, kind in TYPED_COLUMNS.items())
    project.add_source("bus", "databus_binary", {})
    project.dbt("seed")
    for name, vendor_format in SOURCES.items():
        files = sorted((SAMPLE_MESSAGES / vendor_format).glob("*.jsonl"))
        # Canal's large number does not fit its declared type, which the test of the model would report.
        project.land(name, *(path for path in files if path.stem != "large_number"))
    score = {"score {{ s }}": "DOUBLE"}
    odd = write_order(
        tmp_path,
        1,
        {"id": "int", "a 'b' {{ c }}": "STRING"} | score,
        {"id": 1, "a 'b' {{ c }}": "it's", "score {{ s }}": "n/a"},
    )
    project.land("blob 商店", odd)
    project.store_schemas("bus", *write_schemas(tmp_path))
    project.land("bus", write_messages(tmp_path))
    project.dbt("run", "--select", "+seen_columns", "+current_rows", "changelog")

    for name in [*SOURCES, "bus"]:
        made = generate(project, "--source", name)
        assert made.returncode == 0, made.stdout + made.stderr
    folder = project.folder / "models" / "typed_snapshots" / "generated"
    odd_name = BLOB + "It_x27_s_x207b7b20_odd_x207d7d_"
    assert set(ORDERS) | {odd_name} <= {path.stem for path in folder.glob("*.sql")}
    assert generate(project, "--source", "canal", "--table", "orders").stdout.startswith(
        "snapshot_canal__orders: unchanged\n"
    )
    # Columns are in the order of the newest schema; those of older ones follow.
    names = re.findall("'name': '(.*?)', 'type'", (folder / f"{BUS}.sql").read_text())
    assert names[:4] == ["id", "status", "amount", "level"]
    assert names[5:] == ["note", "late", "receipt", "seal", "gone", "state"]

    project.dbt("run", "--select", "path:models/typed_snapshots/generated")
    project.dbt("test", "--select", *ORDERS, f"{BLOB}customers", BUS)
    assert "Got 1 result, configured to warn if != 0" in project.dbt("test", "--select", odd_name)
    for name, expected in ORDERS.items():
        types = {row[0]: row[1] for row in server.query(f"describe table {project.schema}.{name}")}
        assert types | expected == types, name
        assert name != "snapshot_tuple__orders" or list(types)[:6] == [*TYPED_COLUMNS, "customer_id", "note"]
    (blob_order,) = project.rows(f"{BLOB}orders where order_id = 2", "status, amount, amount_text, placed_at")
    assert blob_order == ("paid", 7.99, "7.990000", dt.datetime(2025, 12, 30, 13, 7, 40))
    (canal_order,) = project.rows("snapshot_canal__orders where order_id = 1", "status, amount, note")
    assert canal_order == ("shipped", Decimal("12.50"), "first order")
    assert project.rows(odd_name, "id, a_x2027_b_x27207b7b20_c_x207d7d_") == [(1, "it's")]

    check_older_schemas(project)

    # A widened type regenerates the model; models with a narrowed type and files edited by hand are unchanged.
    types = {"id": "bigint", "late": "DATE", "a 'b' {{ c }}": "LONG"} | score
    row = {"id": 2**40, "a 'b' {{ c }}": 5, "late": 1767229202000, "score {{ s }}": "1e400"}
    wider = write_order(tmp_path, 2, types, row)
    project.land("blob 商店", wider)
    edited = folder / f"{BLOB}orders.sql"
    edited.write_text(edited.read_text() + "-- mine\n")
    project.dbt("run", "--select", *TABLES)
    again = generate(project, "--source", "blob 商店")
    assert again.returncode == 0, again.stdout + again.stderr
    assert f"{BLOB}orders: kept, edited by hand\n" in again.stdout
    assert f"{BLOB}customers: unchanged\n" in again.stdout
    assert (
        f"{odd_name}: written\n  column \"a 'b' {{{{ c }}}}\" keeps 'STRING': 'LONG' is conflicting\n" in again.stdout
    )
    # A rebuilt manifest gives the same models.
    project.server.query(f"drop table {project.schema}.appends")
    project.dbt("run", "--select", "appends")
    assert "0 models written" in generate(project, "--source", "blob 商店").stdout
    # A number that no double holds is excepted, since its text is kept; a text that is not a number is not.
    assert "Got 1 result, configured to warn if != 0" in project.dbt("build", "--select", odd_name)
    assert project.rows(odd_name, "id, score_x207b7b20_s_x207d7d__text, cast_failures") == [
        (1, "n/a", '["score {{ s }}"]'),
        (2**40, "1e400", '["score {{ s }}"]'),
    ]
    typed = project.rows(odd_name, "id, a_x2027_b_x27207b7b20_c_x207d7d_, late")
    assert typed == [(1, "it's", None), (2**40, "5", dt.datetime(2026, 1, 1, 1, 0, 2))]
