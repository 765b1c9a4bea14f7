"""Histories of writers of change messages and messages of their documentation, in two builds and a full refresh."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Server
from dbt_project import TABLES, Project, copy_project
from debezium_cases import DEBEZIUM_CASES
from delivery import write_batch
from documented_debezium import DEBEZIUM
from documented_maxwell import MAXWELL
from writer_cases import CASES, Message

pytestmark = pytest.mark.e2e
ALL_CASES = CASES | DEBEZIUM_CASES
DOCUMENTED = {one.name: one for one in (*DEBEZIUM, *MAXWELL)}
Rows = list[tuple[str, Message]]
REPORTED = {
    "changelog": "table_name, event_index",
    "ordering_anomalies": "table_name, row_key",
    "quarantine": "offset",
    "image_anomalies": "table_name, before_image",
    "ddl_anomalies": "table_name, other_table_name, live_rows",
    "current_rows": "table_name",
    "row_history": "row_image, unix_seconds(valid_from) - 1767225600, unix_seconds(valid_to) - 1767225600",
}


@pytest.fixture(scope="module")
def project(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project after its first build; what later builds add is in `rows`."""
    folder = tmp_path_factory.mktemp("writers")
    project = copy_project(folder / "project", server, "writers")
    for name, case in ALL_CASES.items():
        project.add_source(name, case.vendor_format, case.keys, case.lob_columns)
        _configure(project, name, case.vendor_format, f"{case.time_zone},{case.order_by}")
        project.land(name, write_batch(folder, name, case.envelopes(name)[0]))
    for vendor_format in ("debezium", "maxwell"):
        source = f"documented_{vendor_format}"
        project.add_source(source, vendor_format, {})
        lines = [one.envelope() for one in DOCUMENTED.values() if one.vendor_format == vendor_format]
        project.land(source, write_batch(folder, source, lines))
    models = (f"+{model}" for model in REPORTED)
    project.dbt("build", "--select", *models, "--exclude-resource-type", "unit_test", "test")
    return project


@pytest.fixture(scope="module")
def builds(project: Project, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Rows]]:
    """The live rows of each source after the first build, after the second, and after a full refresh."""
    folder = tmp_path_factory.mktemp("later")
    found = {"first": _live_rows(project)}
    for name, case in ALL_CASES.items():
        if case.later:
            project.land(name, write_batch(folder, name, case.envelopes(name)[1]))
    project.dbt("run", "--select", *TABLES)
    found["second"] = _live_rows(project)
    project.dbt("run", "--full-refresh", "--select", *TABLES)
    found["refreshed"] = _live_rows(project)
    return found


def _configure(project: Project, name: str, vendor_format: str, settings: str) -> None:
    sources = project.folder / "seeds" / "cdc_sources.csv"
    sources.write_text(
        sources.read_text().replace(f"\n{name},{vendor_format},UTC,\n", f"\n{name},{vendor_format},{settings}\n")
    )


def _live_rows(project: Project) -> dict[str, Rows]:
    found: dict[str, Rows] = {name: [] for name in (*ALL_CASES, "documented_debezium", "documented_maxwell")}
    for source, table, image in project.rows("current_rows", "source_name, table_name, row_image"):
        found[source].append((table, json.loads(image)))
    return found


def _sorted(rows: Rows) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


@pytest.mark.parametrize("name", ALL_CASES)
def test_a_history_gives_the_rows_of_its_source(builds: dict[str, dict[str, Rows]], name: str) -> None:
    case = ALL_CASES[name]
    if case.rows_before is not None:
        assert _sorted(builds["first"][name]) == _sorted(case.rows_before)
    assert _sorted(builds["second"][name]) == _sorted(case.rows)
    assert _sorted(builds["refreshed"][name]) == _sorted(case.rows)


@pytest.mark.parametrize("name", [name for name, case in ALL_CASES.items() if case.reports])
def test_a_history_is_reported(project: Project, name: str) -> None:
    for report, expected in ALL_CASES[name].reports.items():
        model = report.split(" ", maxsplit=1)[0]
        condition = " and" if " where " in report else " where"
        found = project.rows(f"{report}{condition} source_name = '{name}'", REPORTED[model])
        assert sorted(map(tuple, found)) == expected, report


def test_a_record_key_may_have_more_columns_than_the_row(project: Project) -> None:
    project.dbt("test", "--select", "assert_row_keys_are_in_the_image")


@pytest.fixture(scope="module")
def events(project: Project) -> dict[str, list[tuple[Any, ...]]]:
    """The events of each documented message."""
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in DOCUMENTED}
    columns = (
        "topic, event_index, outcome, coalesce(reason_code, change_type, control_kind), table_name, "
        "coalesce(reason_detail, image_scope)"
    )
    for topic, _, *event in project.rows("events where source_name like 'documented%'", columns):
        found[topic].append(tuple(event))
    return found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_documented_message_is_read_or_refused_with_its_cause(
    events: dict[str, list[tuple[Any, ...]]], name: str
) -> None:
    assert events[name] == DOCUMENTED[name].events
