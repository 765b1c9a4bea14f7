"""Messages from the vendors' code and tests, and others in the shape of their pages, with the expected results.

The build is shared with files of days and of parts, whose positions landing assigns (ADR 0023).
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT_DIR, Server
from dbt_project import TABLES, Project, copy_project
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


SOURCES = {name: "vendor_" + name.replace("/", "_") for name in FORMATS}
DAY_1, DAY_2 = 1767229200, 1767315600


def canal(state: str, second: int, row_id: str = "1") -> str:
    """A line of Canal with the new image of a row."""
    return json.dumps(
        {
            "data": [{"id": row_id, "state": state}],
            "old": None if state == "first" else [{"state": "before"}],
            "type": "INSERT" if state == "first" else "UPDATE",
            "pkNames": ["id"],
            "mysqlType": {"id": "int", "state": "varchar(9)"},
            **{"database": "shop", "table": "tickets", "isDdl": False, "sql": ""},
            **{"es": second * 1000, "ts": second * 1000 + 5},
        }
    )


def tuple_row(state: str, second: int, sequence: int) -> str:
    """A line of DataHub Tuple with the row after a change."""
    return json.dumps(
        {
            **{"_sequence_id_": str(sequence), "_operation_type_": "U", "_excute_time_": str(second * 1000)},
            **{"_before_image_": "N", "_after_image_": "Y", "id": "1", "state": state},
        }
    )


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture(scope="module")
def project(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Land the vendors' messages and files of lines, and build them."""
    folder = tmp_path_factory.mktemp("vendor_samples")
    project = copy_project(folder / "project", server, "vendor_samples")
    for name, source in SOURCES.items():
        project.add_source(source, FORMATS[name], KEYS.get(name, {}))
        project.land(source, write_batch(folder, source, _envelopes(name)))
    for source in ("daily", "parts", "folder_of_parts", "exports", "rows"):
        project.add_source(source, "oms_canal", {})
    with (project.folder / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("by_position,datahub_tuple,UTC,position\n")
    with (project.folder / "seeds" / "table_keys.csv").open("a") as keys:
        keys.write("by_position,,,tickets,id,,\n")
    lines = ("--as", "lines")
    states = enumerate(("first", "second", "third"))
    project.land(
        "daily", *lines, write(folder / "1" / "daily.jsonl", *(canal(state, DAY_1 + n) for n, state in states))
    )
    project.land("daily", *lines, write(folder / "2" / "daily.jsonl", canal("day 2", DAY_2)))
    ninth, tenth = canal("first", DAY_1), canal("second", DAY_1)
    project.land("parts", *lines, write(folder / "part9", ninth), write(folder / "part10", tenth))
    write(folder / "tree" / "folder_of_parts" / "part9", ninth)
    write(folder / "tree" / "folder_of_parts" / "part10", tenth)
    project.land_tree(folder / "tree", *lines)
    (folder / "export.json.gz").write_bytes(gzip.compress(f"[{ninth},\n{tenth}]".encode()))
    project.land("exports", "--as", "array", folder / "export.json.gz")
    project.land("rows", *lines, "--force", write(folder / "rows.csv", "id,state", "1,first"))
    project.land("by_position", *lines, write(folder / "1" / "tickets", tuple_row("third", DAY_1, 900)))
    project.land("by_position", *lines, write(folder / "2" / "tickets", tuple_row("day 2", DAY_2, 100)))
    built = ("+current_rows", "+ordering_anomalies", "+source_progress")
    project.dbt("build", "--select", *built, "--exclude-resource-type", "unit_test", "test")
    return project


def states(project: Project) -> dict[str, list[str]]:
    """The states of the live rows of each source of files."""
    found: dict[str, list[str]] = {}
    where = "current_rows where table_name = 'tickets'"
    for source, image in project.rows(where, "source_name, row_image"):
        found.setdefault(source, []).append(json.loads(image)["state"])
    return found


def test_files_are_ordered_by_time_and_then_as_they_landed(project: Project, tmp_path: Path) -> None:
    expected = {
        "daily": ["day 2"],
        "parts": ["second"],
        "folder_of_parts": ["second"],
        "exports": ["second"],
        "by_position": ["day 2"],
    }
    assert states(project) == expected
    # Equal times of two files: the order of landing decides, and the report shows it.
    tied = project.rows("ordering_anomalies where anomaly = 'tie'", "source_name, change_order.partition")
    assert [row for row in tied if row[0] in expected] == [("folder_of_parts", 1), ("parts", 1)]
    regressed = project.rows("ordering_anomalies where anomaly = 'time_regression'", "source_name")
    assert not {source for (source,) in regressed} & set(expected)
    # CSV that was forced to land is not called Base64.
    reasons = project.rows("events where source_name = 'rows'", "offset, reason_code, reason_detail")
    assert reasons == [
        (0, "malformed_json", "neither JSON nor Base64: character 2 of 8"),
        (1, "malformed_json", "neither JSON nor Base64: character 1 of 7"),
    ]
    # An old file that lands late changes no newer row, and does not make its source look late.
    columns = "source_name, partitions, unix_seconds(complete_up_to)"
    progress = "source_progress where source_name in ('daily', 'parts')"
    assert project.rows(progress, columns) == [("daily", 2, DAY_2), ("parts", 2, DAY_1)]
    project.land(
        "daily", "--as", "lines", write(tmp_path / "daily.jsonl", canal("day 0", DAY_1 - 9), canal("new", 1, "2"))
    )
    project.dbt("build", "--select", *TABLES, "--exclude-resource-type", "unit_test", "test")
    assert states(project) == expected | {"daily": ["day 2", "new"]}
    assert project.rows(progress, columns) == [("daily", 3, DAY_2), ("parts", 2, DAY_1)]


def test_vendor_messages_become_what_their_formats_say(project: Project) -> None:
    found_files = {str(file.relative_to(VENDOR_DIR))[: -len(".jsonl")] for file in VENDOR_DIR.glob("*/*.jsonl")}
    assert found_files == set(FORMATS)
    found: dict[str, dict[str, list[Any]]] = {
        source: {"changes": [], "others": [], "current_rows": []} for source in SOURCES.values()
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
    for name, source in SOURCES.items():
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
