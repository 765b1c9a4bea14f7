"""Messages of the vendors' own code and tests, and others of the shape of their pages, beside what they must become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT_DIR, Server
from dbt_project import copy_project
from delivery import write_batch

pytestmark = pytest.mark.e2e
VENDOR_DIR = PROJECT_DIR / "tests" / "vendor"
FORMATS = {
    "canal/converter_cases": "oms_canal",
    "canal/paimon": "oms_canal",
    "oms/default": "oms_default",
    "oms/default_extend_column_type": "oms_default_extend_column_type",
    "oms/canal": "oms_canal",
    "oms/dataworks_v2": "oms_dataworks_v2",
    "oms/shareplex": "oms_shareplex",
    "shareplex/quest": "oms_shareplex",
}
KEYS = {"shareplex/quest": {"CHOIRS": "CHOIR_NAME"}}


def test_vendor_messages_become_what_their_formats_say(server: Server, tmp_path: Path) -> None:
    found_files = {str(file.relative_to(VENDOR_DIR))[: -len(".jsonl")] for file in VENDOR_DIR.glob("*/*.jsonl")}
    assert found_files == set(FORMATS)
    project = copy_project(tmp_path / "project", server, "vendor_samples")
    sources = {name: "vendor_" + name.replace("/", "_") for name in FORMATS}
    for name, source in sources.items():
        project.add_source(source, FORMATS[name], KEYS.get(name, {}))
        project.land(source, write_batch(tmp_path, source, _envelopes(name)))
    project.dbt("build", "--select", "+current_rows", "--exclude-resource-type", "unit_test", "test")

    found: dict[str, dict[str, list[Any]]] = {
        source: {"changes": [], "others": [], "current_rows": []} for source in sources.values()
    }
    events = project.rows(
        "events where outcome <> 'duplicate'",
        "source_name, offset, event_index, outcome, change_type, table_name, row_key, image_scope, row_image, "
        "coalesce(reason_code, control_kind)",
    )
    for source, offset, index, outcome, change_type, table, row_key, image_scope, row_image, kind in events:
        if outcome == "change" and source in found:
            found[source]["changes"].append([offset, index, change_type, table, row_key, image_scope, row_image])
        elif source in found:
            found[source]["others"].append([offset, index, outcome, kind])
    for source, *row in project.rows("current_rows", "source_name, table_name, row_key, row_image"):
        if source in found:
            found[source]["current_rows"].append(row)
    for name, source in sources.items():
        expected = json.loads((VENDOR_DIR / f"{name}.expected.json").read_text(encoding="utf-8"))
        for part, rows in expected.items():
            assert sorted(found[source][part], key=repr) == sorted(rows, key=repr), f"{name}: {part}"


def _envelopes(name: str) -> list[str]:
    # Not splitlines(): a message may hold U+0085 and other characters that Python takes for the end of a line.
    messages = (VENDOR_DIR / f"{name}.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [
        json.dumps({"topic": name, "partition": 0, "offset": offset, "value": message})
        for offset, message in enumerate(messages)
    ]
