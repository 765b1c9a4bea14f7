"""Both forms of one Databus event give the same change; a schema that comes late and a wrong key are no loss."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from conftest import PROJECT_DIR, Server
from databus_messages import EVENT, base64_text, write_event
from dbt_project import EVENTS, SAMPLE_MESSAGES, SAMPLE_SCHEMAS, TABLES, Project, copy_project
from delivery import write_batch

pytestmark = pytest.mark.e2e
VECTORS = PROJECT_DIR / "tests" / "python" / "udfs" / "databus_vectors"
SAMPLES = sorted((SAMPLE_MESSAGES / "databus_binary").glob("*.jsonl"))
TUPLE_SAMPLES = sorted((SAMPLE_MESSAGES / "datahub_tuple").glob("*.jsonl"))
MODELS = ("--select", "+current_rows", "+row_history", "path:models/changelog", "databus_windows")
# Of a decoded event: everything but its form and its position.
READ = (
    "offset, occurrence, version, opcode, message_key, sequence_number, physical_partition, logical_partition, "
    "timestamp_nanos, source_id, schema_id, schema_version, hex(avro_value), is_replicated, is_traced, reason.code"
)
# Of a change: likewise; change_id has the name of the source in it.
CHANGE = (
    "offset, event_index, database_name, schema_name, table_name, row_key, change_type, is_snapshot, row_image, "
    "image_scope, source_operation, sequence_number, event_at, emitted_at, transaction_id, outcome, reason_code, "
    "control_kind, checkpoint_at, ddl_kind, map_filter(source_metadata, (name, text) -> name <> 'byte_order')"
)
PERSON = '{"birthDate":315532800000,"deleted":"false","firstName":"Balaji","key":1,"lastName":"Varadarajan","txn":101}'


def land_vectors(project: Project, folder: Path) -> None:
    """Land every readable event of the vendor's classes three times: its bytes, and both of its JSON forms."""
    events = {case["case"]: case for case in map(json.loads, (VECTORS / "events.jsonl").read_text().splitlines())}
    forms = [json.loads(line) for line in (VECTORS / "events_json_form.jsonl").read_text().splitlines()]
    assert [form["case"] for form in forms] == [number for number, case in events.items() if case["expected"]]
    for source, member in (("vectors_binary", None), ("vectors_json", "JSON"), ("vectors_plain", "JSON_PLAIN_VALUE")):
        lines = []
        for form in forms:
            value = base64.b64decode(events[form["case"]]["rawB64"]) if member is None else form[member].encode()
            line = {"topic": "vectors", "partition": 0, "offset": form["case"]}
            lines.append(json.dumps(line | {"value_base64": base64.b64encode(value).decode()}))
        project.add_source(source, "databus_binary" if member is None else "databus_json", {})
        project.store_schemas(source, *sorted(VECTORS.glob("*.avsc")))
        project.land(source, write_batch(folder, source, lines))


def copies_of(files: list[Path]) -> list[str]:
    """Return the messages of the files as redeliveries, after everything else."""
    sent = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [json.dumps(line | {"offset": line["offset"] + 1000}) for line in sent]


def test_late_schema_or_key_and_replay_equal_having_them_from_the_start(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "databus_forms")
    land_vectors(project, tmp_path)
    for source in ("early_schemas", "late_schemas"):
        project.add_source(source, "databus_binary", {})
        project.land(source, *SAMPLES)
    project.store_schemas("early_schemas", *SAMPLE_SCHEMAS)
    project.add_source("early_keys", "datahub_tuple", {"orders": "order_id", "customers": "customer_id"})
    project.add_source("late_keys", "datahub_tuple", {"orders": "order_no", "customers": "customer_id"})
    for source in ("early_keys", "late_keys"):
        project.land(source, *TUPLE_SAMPLES)
    project.dbt("seed")
    project.dbt("run", *MODELS)

    staged = f"{project.schema}_staging.base_databus_"
    query = "select {} from {} where source_name = '{}' order by offset"
    binary = server.query(query.format(READ, f"{staged}binary", "vectors_binary"))
    plain = server.query(query.format(READ, f"{staged}json", "vectors_plain"))
    assert len(binary) == 85
    assert server.query(query.format(READ, f"{staged}json", "vectors_json")) == binary
    # The plain form loses bytes of some values. What it does not lose is the same.
    lost = [row[0] for row in plain if row[-1] == "avro_unreadable"]
    assert 0 < len(lost) < 20
    assert [row for row in plain if row[0] not in lost] == [row for row in binary if row[0] not in lost]

    changes = project.rows("events where source_name = 'vectors_binary'", CHANGE)
    assert project.rows("events where source_name = 'vectors_json'", CHANGE) == changes
    persons = project.rows(
        "events where source_name = 'vectors_json' and row_image like '%Varadarajan%'", "distinct row_key, row_image"
    )
    assert ('{"key":1}', PERSON) in persons

    # Without schemas nothing of the rows is known yet, and orders have another key column; then both are mended. Copies
    # of the messages arrive and are read before the messages themselves are read again.
    unknown = "quarantine where source_name = '{}' and reason_code = 'avro_unknown_schema'"
    assert len(project.rows(unknown.format("early_schemas"))) == 1
    assert len(project.rows(unknown.format("late_schemas"))) > 5
    assert project.rows("current_rows where source_name = 'late_schemas'") == []
    assert len(project.rows("quarantine where source_name = 'late_keys' and reason_code = 'key_column_missing'")) > 5
    project.store_schemas("late_schemas", *SAMPLE_SCHEMAS)
    table_keys = project.folder / "seeds" / "table_keys.csv"
    table_keys.write_text(table_keys.read_text().replace("order_no", "order_id"))
    copies = write_batch(tmp_path, "copies", copies_of(SAMPLES))
    for source in ("early_schemas", "late_schemas"):
        project.land(source, copies)
    project.dbt("build", "--select", "table_keys", *TABLES, "--exclude-resource-type", "test", "unit_test")
    assert len(project.rows("changelog where source_name = 'late_schemas' and offset >= 1000")) > 5
    project.dbt("run-operation", "replay", "--args", "{reason_code: avro_unknown_schema}")
    # A manifest that is rebuilt settles copies as well.
    project.dbt("run", "--select", EVENTS)
    project.server.query(f"drop table {project.schema}.appends")
    project.dbt("run", "--select", "appends")
    project.dbt("run-operation", "replay", "--args", "{source_name: late_keys, reason_code: key_column_missing}")
    project.dbt("run", "--select", *TABLES)
    for mended, sound in (("late_schemas", "early_schemas"), ("late_keys", "early_keys")):
        for relation, columns in (
            ("events", CHANGE),
            ("current_rows", "table_name, row_key, row_image, last_change_type, sequence_number, event_at"),
            ("row_history", "table_name, row_key, row_image, is_deleted, valid_from, valid_to, is_current"),
        ):
            early = project.rows(f"{relation} where source_name = '{sound}'", columns)
            assert project.rows(f"{relation} where source_name = '{mended}'", columns) == early, relation
            assert early, relation
    windows = "* except (source_name)"
    early = project.rows("databus_windows where source_name = 'early_schemas'", windows)
    assert project.rows("databus_windows where source_name = 'late_schemas'", windows) == early
    # The other customer was deleted by an event that carries neither its row nor a schema id.
    customers = project.rows("current_rows where source_name = 'early_schemas' and table_name = 'source_40'", "row_key")
    assert customers == [('{"customer_id":"1","region":"eu"}',)]

    incremental = project.published() | {"databus_windows": project.rows("databus_windows")}
    project.dbt("run", "--full-refresh", "--select", *TABLES)
    refreshed = project.published() | {"databus_windows": project.rows("databus_windows")}
    for name, rows in incremental.items():
        assert rows == refreshed[name], name


def test_a_replayed_message_of_the_newest_batch_becomes_the_change(server: Server, tmp_path: Path) -> None:
    """Its copy in the same batch, written with a known schema, was readable at once; the first that landed counts."""
    project = copy_project(tmp_path / "project", server, "databus_newest")
    project.add_source("newest", "databus_binary", {})
    schema = {"type": "record", "name": "Item", "fields": [{"name": "id", "type": "long"}]}
    files = [tmp_path / "late.avsc", tmp_path / "early.avsc"]
    lines = []
    for offset, file in enumerate(files):
        file.write_text(json.dumps(schema | {"doc": file.stem}))
        event = EVENT._replace(schema_id=hashlib.md5(file.read_bytes()).hexdigest(), value=b"\x0e")
        line = {"topic": "t", "partition": 0, "offset": offset}
        lines.append(json.dumps(line | {"value_base64": base64_text(write_event(event, 1))}))
    project.store_schemas("newest", files[1])
    project.land("newest", write_batch(tmp_path, "both", lines))
    project.dbt("seed")
    project.dbt("run", "--select", "+row_states")
    assert project.rows("events", "offset, outcome") == [(0, "quarantined"), (1, "change")]
    project.store_schemas("newest", files[0])
    project.dbt("run-operation", "replay", "--args", "{source_name: newest}")
    project.dbt("run", "--select", *TABLES)
    assert project.rows("events", "offset, outcome") == [(0, "change"), (1, "duplicate")]
