"""Each test in tests/invariants fails on a history that breaks its rule, and no other does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Server
from dbt_project import copy_project
from histories import write_batch

pytestmark = pytest.mark.e2e
TUPLE = {
    "_sequence_id_": "1767225600000000001",
    "_operation_type_": "I",
    "_excute_time_": "1767225600000",
    "_source_table_": "t",
    "_before_image_": "N",
    "_after_image_": "Y",
    "id": "1",
}
# Per test: the format, and a message that is sound but for the one rule.
BROKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "assert_preimages_have_their_postimage": (
        "datahub_tuple",
        TUPLE | {"_operation_type_": "U", "_before_image_": "Y", "_after_image_": "N"},
    ),
    "assert_key_values_are_not_null": ("datahub_tuple", TUPLE | {"id": None}),
    "assert_sequences_have_their_shape": ("datahub_tuple", TUPLE | {"_sequence_id_": "17"}),
    "assert_times_are_plausible": ("datahub_tuple", TUPLE | {"_excute_time_": "4102444800000"}),
    "assert_schema_changes_carry_text": (
        "datahub_blob",
        {
            "schema": {"source": {"dbName": "d", "tableName": "t"}},
            "payload": {"op": "ALTER", "sequenceId": "1767225600000000001", "ddl": {"text": " "}},
        },
    ),
    "assert_rowids_fit_the_key": (
        "oms_shareplex",
        {
            "data": {"id": 1},
            "meta": {
                "op": "ins",
                "table": "d.t",
                "rowid": "d.t-1\u00012",
                "scn": "176722560000001",
                "time": "2026-01-01T00:00:00",
                "posttime": "2026-01-01T00:00:01",
            },
        },
    ),
}


def test_each_invariant_fails_on_its_own_history_alone(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "invariants")
    tests = {file.stem for file in (project.folder / "tests" / "invariants").glob("*.sql")}
    assert tests == set(BROKEN)
    for name, (vendor_format, message) in BROKEN.items():
        project.add_source(name, vendor_format, {"t": "id"} if vendor_format != "datahub_blob" else {})
        line = {"topic": "t", "partition": 0, "offset": 0, "value": json.dumps(message)}
        project.land(name, write_batch(tmp_path, name, [json.dumps(line)]))
    build = project.start(
        "build",
        "--select",
        "+events",
        "path:tests/invariants",
        "--exclude-resource-type",
        "unit_test",
        "--store-failures",
    )
    output = build.communicate()[0]

    (results_file,) = project.folder.glob("target/*/run_results.json")
    results = {result["unique_id"]: result for result in json.loads(results_file.read_text())["results"]}
    bad = {name: result for name, result in results.items() if result["status"] not in ("success", "pass")}
    failed = {name.split(".")[2]: result for name, result in bad.items()}
    assert set(failed) == set(BROKEN), output[-6000:]
    for name in BROKEN:
        assert failed[name]["status"] == "fail", output[-6000:]
        sources = project.server.query(f"select distinct source_name from {failed[name]['relation_name']}")
        assert sources == [(name,)]
