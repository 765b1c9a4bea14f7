"""Each data test of the feed fails on what breaks its rule, and no other does; a flood of bad messages is told."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from broken_messages import BROKEN, FLOOD, FLOOD_MESSAGES, FLOOD_PER_REASON, FLOOD_REASONS, envelopes, flood
from conftest import Server
from dbt_project import Project, copy_project
from delivery import write_batch

pytestmark = pytest.mark.e2e
# What a wrong configuration breaks: the source of the rules in table_keys.csv has the name of the test.
KEY_TESTS = {"assert_table_keys_are_unambiguous": ["id", "id"], "assert_table_keys_can_be_read": ["id"]}


def land_broken(project: Project, folder: Path) -> None:
    """Land the broken messages, each for the source that has the name of the test, and the flood."""
    sources = {name: (broken.vendor_format, broken.key, broken.values) for name, broken in BROKEN.items()}
    for name, (vendor_format, key, values) in (sources | {FLOOD: ("datahub_blob", None, flood())}).items():
        project.add_source(name, vendor_format, {} if key is None else {"t": key})
        (folder / name).mkdir(parents=True)
        write_batch(folder / name, "messages", envelopes(values))
    project.add_source("assert_table_keys_are_unambiguous", "datahub_tuple", {})
    with (project.folder / "seeds" / "table_keys.csv").open("a") as table_keys:
        for name, keys in KEY_TESTS.items():
            table_keys.writelines(f"{name},,,t,{key},,\n" for key in keys)
    project.land_tree(folder)


def results(project: Project) -> dict[str, dict[str, Any]]:
    """Return the data tests of the last run by name."""
    (file,) = project.folder.glob("target/*/run_results.json")
    found = json.loads(file.read_text())["results"]
    return {result["unique_id"].split(".")[2]: result for result in found}


def test_each_invariant_fails_on_what_breaks_it_alone(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "invariants")
    land_broken(project, tmp_path / "tree")
    project.dbt("seed")
    project.dbt("run", "--select", "+events", "databus_windows", "changelog", "quarantine")
    for name, broken in BROKEN.items():
        if broken.tamper:
            where = "and" if " where " in broken.tamper else "where"
            server.query(f"update invariants.events {broken.tamper} {where} source_name = '{name}'")
    vars_ = ("--vars", "{quarantine_severity: error}")
    choice = ("events", "databus_windows", "changelog", "path:tests/events", "path:tests/invariants")
    exclude = ("--exclude", "heartbeats", "schema_changes", "transaction_marks", "path:tests/rows")
    output = project.start("test", "--select", *choice, *exclude, "--store-failures", *vars_).communicate()[0]

    tests = results(project)
    failed = {name for name, result in tests.items() if result["status"] != "pass"}
    assert failed == {*BROKEN, *KEY_TESTS, FLOOD}, output[-6000:]
    rules = {name for name in tests if name.startswith("assert_")}
    assert rules == failed, "a rule without a message that breaks it"
    for name in failed:
        sources = server.query(f"select distinct source_name from {tests[name]['relation_name']}")
        assert {source for (source,) in sources} - {FLOOD} == {name} - {FLOOD}, name

    # Each reason is told by one test, but those that heartbeats share with rows.
    (manifest,) = project.folder.glob("target/*/manifest.json")
    nodes = json.loads(manifest.read_text())["nodes"]
    told = Counter(
        code
        for name, node in nodes.items()
        if "has_none_quarantined" in str(node.get("test_metadata")) and "heartbeats" not in name
        for code in node["test_metadata"]["kwargs"]["reason_codes"]
    )
    assert dict(told) == {code: 1 for (code,) in server.query("select reason_code from invariants.reason_codes")}

    # The flood: nothing is lost, and quarantine holds what is bad with its own reason.
    found = Counter(code for (code,) in project.rows(f"quarantine where source_name = '{FLOOD}'", "reason_code"))
    assert found == dict.fromkeys(FLOOD_REASONS, FLOOD_PER_REASON)
    changes = project.rows(f"changelog where source_name = '{FLOOD}'", "change_id")
    assert len(changes) == FLOOD_MESSAGES - FLOOD_PER_REASON * len(FLOOD_REASONS)
    (counted,) = server.query(f"select * from {tests[FLOOD]['relation_name']}")
    assert counted == (FLOOD, FLOOD_MESSAGES, FLOOD_PER_REASON * len(FLOOD_REASONS))
    project.dbt("test", "--select", FLOOD, "--vars", "{quarantine_percent_limit: 6}")
