"""Each data test of the feed fails on violations of its rule and on no others; a flood of bad messages is reported."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from broken_messages import BROKEN, FLOOD, FLOOD_MESSAGES, FLOOD_PER_REASON, FLOOD_REASONS, envelopes, flood
from conftest import Server
from dbt_project import Project, copy_project
from delivery import write_batch

pytestmark = pytest.mark.e2e
CONFIGURATION = "assert_configuration_can_be_used"
ZONE = "assert_time_zones_exist"
# Invalid lines of the seeds, and the reported cell and value of each file.
WRONG = {
    "cdc_sources": (
        [f"{CONFIGURATION},datahub_tupel,UTC", f"{CONFIGURATION},datahub_blob,UTC,,hex:zz"],
        [
            ("source_name", CONFIGURATION),
            ("format", "datahub_tupel"),
            ("time_zone", "Mars/City"),
            ("unavailable_value", "hex:zz"),
        ],
    ),
    "table_keys": (
        [f"{CONFIGURATION},,,t,id,,"] * 2
        + [f'{CONFIGURATION},,,u,"[""id""","a,,b",', f'{CONFIGURATION},,,v,"[""id"",""line""]",,', "nobody,,,t,id,,"],
        [
            ("source_name to table_name", f"{CONFIGURATION},,,t"),
            ("key_columns", '["id"'),
            ("lob_columns", "a,,b"),
            ("source_name", "nobody"),
        ],
    ),
    "databus_sources": (
        ["assert_checksums_are_right,forty,t", "assert_windows_are_closed,41,"],
        [("source_id", None), ("table_name", None)],
    ),
}


def land_broken(project: Project, folder: Path) -> None:
    """Land the broken messages, each for the source that has the name of the test, and the flood."""
    sources = {name: (broken.vendor_format, broken.key, broken.values) for name, broken in BROKEN.items()}
    for name, (vendor_format, key, values) in (sources | {FLOOD: ("datahub_blob", None, flood())}).items():
        project.add_source(name, vendor_format, {} if key is None else {"t": key})
        (folder / name).mkdir(parents=True)
        write_batch(folder / name, "messages", envelopes(values))
    project.land_tree(folder)
    set_zone(project, "Mars/City")
    for seed, (lines, _) in WRONG.items():
        with (project.folder / "seeds" / f"{seed}.csv").open("a") as file:
            file.writelines(f"{line}\n" for line in lines)


def set_zone(project: Project, zone: str) -> None:
    """Give the source that is about time zones this one."""
    file = project.folder / "seeds" / "cdc_sources.csv"
    file.write_text(re.sub(rf"(?m)^({ZONE},[^,]*),[^,\n]*", rf"\1,{zone}", file.read_text()))


def results(project: Project) -> dict[str, dict[str, Any]]:
    """Return the data tests of the last run by name."""
    (file,) = project.folder.glob("target/*/run_results.json")
    found = json.loads(file.read_text())["results"]
    return {result["unique_id"].split(".")[2]: result for result in found}


def test_each_invariant_fails_on_what_breaks_only_it(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "invariants")
    land_broken(project, tmp_path / "tree")
    project.dbt("seed")
    project.dbt("run", "--select", "+events", "databus_windows", "changelog", "quarantine")
    for name, broken in BROKEN.items():
        if broken.tamper:
            where = "and" if " where " in broken.tamper else "where"
            server.query(f"update invariants.events {broken.tamper} {where} source_name = '{name}'")
    vars_ = ("--vars", "{quarantine_severity: error}")
    choice = ("events", "databus_windows", "changelog", "path:tests/events", "path:tests/seeds")
    # The manifest is not part of a feed: test_builds_at_once.py covers it.
    of_appends = "assert_appends_count_every_event"
    exclude = ("--exclude", "heartbeats", "schema_changes", "transaction_marks", "path:tests/rows", of_appends)
    command = ("test", "--store-failures", *vars_, "--select", *choice, "path:tests/invariants", *exclude)
    output = project.start(*command).communicate()[0]

    tests = results(project)
    failed = {name for name, result in tests.items() if result["status"] == "fail"}
    assert failed == {*BROKEN, CONFIGURATION, FLOOD}, output[-6000:]
    rules = {name for name in tests if name.startswith("assert_")}
    assert rules == failed, "a rule without a message that breaks it"
    for name in failed - {CONFIGURATION}:
        sources = server.query(f"select distinct source_name from {tests[name]['relation_name']}")
        assert {source for (source,) in sources} - {FLOOD} == {name} - {FLOOD}, name

    # Each invalid cell is reported: its file, its name, expected, found, and the remedy.
    problems = server.query(f"select problem, remedy from {tests[CONFIGURATION]['relation_name']}")
    wrong = [(seed, cell, found) for seed, (_, cells) in WRONG.items() for cell, found in cells]
    for seed, cell, found in wrong:
        shown = "nothing" if found is None else f'"{found}"'
        told = [text for text, remedy in problems if re.match(rf"seeds/{seed}\.csv, {cell}: expected .+, found ", text)]
        assert [text for text in told if text.endswith(f" found {shown}")], (cell, problems)
    assert len(problems) == len(wrong)
    # The invalid time zone affects only its own source, until it is corrected.
    unread = "quarantine where reason_code = 'invalid_time_zone'"
    assert project.rows(unread, "source_name, reason_detail") == [(ZONE, "time_zone in cdc_sources.csv")]
    set_zone(project, "Asia/Shanghai")
    project.dbt("seed")
    project.dbt("run-operation", "replay", "--args", "{reason_code: invalid_time_zone}")
    project.dbt("run", "--select", "events")
    assert project.rows(unread) == []
    assert project.rows(f"changelog where source_name = '{ZONE}'", "cast(event_at as string)") == [
        ("2025-12-31 16:00:00",)
    ]

    # Each reason is reported by one test, except those that heartbeats share with rows.
    (manifest,) = project.folder.glob("target/*/manifest.json")
    nodes = json.loads(manifest.read_text())["nodes"]
    told = Counter(
        code
        for name, node in nodes.items()
        if "has_none_quarantined" in str(node.get("test_metadata")) and "heartbeats" not in name
        for code in node["test_metadata"]["kwargs"]["reason_codes"]
    )
    assert dict(told) == {code: 1 for (code,) in server.query("select reason_code from invariants.reason_codes")}

    # The flood: nothing is lost, and quarantine contains the bad messages with their reasons.
    found = Counter(code for (code,) in project.rows(f"quarantine where source_name = '{FLOOD}'", "reason_code"))
    assert found == dict.fromkeys(FLOOD_REASONS, FLOOD_PER_REASON)
    changes = project.rows(f"changelog where source_name = '{FLOOD}'", "change_id")
    assert len(changes) == FLOOD_MESSAGES - FLOOD_PER_REASON * len(FLOOD_REASONS)
    (counted,) = server.query(f"select * from {tests[FLOOD]['relation_name']}")
    assert counted == (FLOOD, FLOOD_MESSAGES, FLOOD_PER_REASON * len(FLOOD_REASONS))
    project.dbt("test", "--select", FLOOD, "--vars", "{quarantine_percent_limit: 6}")
