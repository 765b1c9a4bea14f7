"""The whole pipeline over a real Thrift server: what a user runs, and what must hold whatever the delivery."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dbt_project import TABLES, Project

pytestmark = pytest.mark.e2e


def test_samples_become_the_expected_tables(samples: Project) -> None:
    expected = json.loads((Path(__file__).with_name("expected_samples.json")).read_text())
    outcomes = samples.rows(
        "source_outcomes where source_name = format",
        "source_name, messages, changes, control_events, duplicates, quarantined",
    )
    assert [list(row) for row in outcomes] == expected["source_outcomes"]
    rows = samples.server.query(
        "select source_name, table_name, row_key, row_image from samples.current_rows "
        "where source_name = format order by 1, 2, 3"
    )
    assert [list(row) for row in rows] == expected["current_rows"]

    samples.dbt("source", "freshness")
    before = samples.published()
    assert "Nothing new has landed." in samples.land_samples()
    samples.dbt("run", "--select", *TABLES)
    assert samples.published() == before


def test_dbt_tests_of_the_project_and_of_the_samples_pass(samples: Project) -> None:
    """Unit tests and data tests; those of the feed warn, for there are broken messages among the samples."""
    # Said by name: what dbt takes by itself (selectors.yml) leaves unit tests out.
    said = samples.dbt("test", "--select", "test_type:unit", "test_type:data")
    assert " WARN=7 " in said, "seven tests warn, as the README says"


def test_explain_row_says_which_change_won_and_why(samples: Project) -> None:
    row = {"source_name": "datahub_blob", "table_name": "orders", "row_key": '{"order_id":2}'}
    lines = samples.dbt("--quiet", "run-operation", "explain_row", "--args", json.dumps(row)).splitlines()
    told = [line.split()[:5] for line in lines if line[:1].isdigit() or line.startswith("-")]
    assert told == [
        ["1", "insert", "full", "-", "-"],
        ["2", "update_postimage", "full", "1767225600000000000", "-"],
        ["-", "update_preimage", "full", "1767225600000000003", "-"],
        ["3", "update_postimage", "full", "1767225600000000003", "-"],
    ]
    [decides] = [line for line in lines if "decides" in line and line.startswith("Change ")]
    assert decides.startswith("Change 3 (update_postimage, ")
    assert decides.endswith(" decides: its sequence is the highest.")
    [image] = samples.server.query(
        "select row_image from samples.current_rows where source_name = 'datahub_blob' "
        """and table_name = 'orders' and row_key = '{"order_id":2}'"""
    )
    assert f"Image: {image[0]}" in lines
