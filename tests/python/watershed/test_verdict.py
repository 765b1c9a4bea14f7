"""The verdict: the same facts give the same findings, the worst first, each with its remedy."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import PROJECT_DIR
from hypothesis import given
from hypothesis import strategies as st

from watershed.errors import WatershedError
from watershed.health.build_results import BuildResults, NodeResult, NoResults
from watershed.health.facts import last_build, read_limits
from watershed.health.left_out import LeftOut, SnapshotModel, left_out_query, snapshot_models
from watershed.health.questions import ANOMALIES, AnomalyCount, Lag, Progress, RecentQuarantine
from watershed.health.verdict import Facts, Finding, Level, Limits, Missing, judge

NOON = dt.datetime(2026, 3, 1, 12)
PAGE = (PROJECT_DIR / "docs" / "monitoring.md").read_text("utf-8")
SHOP = Progress("shop", "oms_canal", "active", 200, 0, NOON, NOON, 30)
PASSED = BuildResults("build", NOON, 111, [])
FINE = Facts(
    asked_at=NOON,
    schema="watershed",
    progress=[SHOP],
    recent=[RecentQuarantine("shop", None, 200, 0, None)],
    anomalies={model: [] for model in ANOMALIES},
    results=PASSED,
    last_built_at=NOON,
)


def found(limits: Limits | None = None, **changes: object) -> list[tuple[Level, str]]:
    verdict = judge(replace(FINE, **changes), limits or Limits())  # type: ignore[arg-type]
    return [(finding.level, finding.kind) for finding in verdict.findings]


def results(*nodes: NodeResult) -> BuildResults:
    return BuildResults("build", NOON, 3, list(nodes))


def anomaly(model: str, recent: int = 1, remedy: str | None = "Look.") -> dict[str, object]:
    return {"anomalies": FINE.anomalies | {model: [AnomalyCount("tie", "shop", "t", 3, recent, "A tie.", remedy)]}}


def reason(quarantined: int, messages: int) -> list[RecentQuarantine]:
    return [
        RecentQuarantine("shop", None, messages, quarantined, None),
        RecentQuarantine("shop", "malformed_json", quarantined, quarantined, "Correct the writer."),
    ]


def test_a_healthy_home_is_fine() -> None:
    verdict = judge(FINE, Limits())
    assert (verdict.level, verdict.findings, verdict.unknown) == (Level.FINE, [], [])
    assert verdict.level.value == 0
    assert verdict.sentence == "Fine: nothing needs attention."


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"progress": [SHOP._replace(unread=2)]}, [(Level.WARNINGS, "unread")]),
        ({"progress": [SHOP._replace(unread=-11)]}, [(Level.BROKEN, "lost_messages")]),
        ({"progress": [SHOP._replace(state="silent")]}, [(Level.WARNINGS, "silent")]),
        ({"progress": [SHOP._replace(state="never seen", landed=0)]}, [(Level.WARNINGS, "never_seen")]),
        ({"progress": [SHOP._replace(lag_seconds=10**8)]}, []),
        ({"progress": []}, [(Level.WARNINGS, "no_sources")]),
        ({"recent": reason(1, 200)}, [(Level.WARNINGS, "quarantine")]),
        ({"recent": reason(11, 200)}, [(Level.BROKEN, "quarantine_limit"), (Level.WARNINGS, "quarantine")]),
        ({"recent": reason(10, 200)}, [(Level.WARNINGS, "quarantine")]),
        ({"recent": reason(99, 99)}, [(Level.WARNINGS, "quarantine")]),
        *((anomaly(model), [(Level.WARNINGS, model)]) for model in ANOMALIES),
        (anomaly("ordering_anomalies", recent=0), []),
        (anomaly("schema_drift", remedy=None), []),
        ({"results": results(NodeResult("t", "warn", 1, ""))}, [(Level.WARNINGS, "warned_tests")]),
        (
            {"results": results(NodeResult("t", "warn", 1, ""), NodeResult("events", "error", 0, "", False))},
            [(Level.BROKEN, "failed_nodes"), (Level.WARNINGS, "warned_tests")],
        ),
        ({"results": NoResults("overwritten", "docs generate")}, [(Level.WARNINGS, "results_overwritten")]),
        ({"results": NoResults("none yet")}, []),
        ({"last_built_at": NOON - dt.timedelta(hours=25)}, [(Level.WARNINGS, "old_build")]),
        ({"is_built": False, "last_built_at": None}, [(Level.WARNINGS, "never_built")]),
        ({"problems": ["seeds/cdc_sources.csv:2: x.\n  Do y."]}, [(Level.WARNINGS, "configuration")]),
        ({"no_server": "No server answers."}, [(Level.WARNINGS, "no_server")]),
        ({"no_server": "No server answers.", "is_server_stuck": True}, [(Level.BROKEN, "server_stuck")]),
        ({"recent": Missing("[TABLE_OR_VIEW_NOT_FOUND]")}, [(Level.BROKEN, "unreadable")]),
        ({"recent": Missing("not counted", is_failure=False)}, []),
    ],
)
def test_each_fact_has_its_finding(changes: dict[str, object], expected: list[tuple[Level, str]]) -> None:
    assert found(**changes) == expected


def test_limits_decide() -> None:
    late = {"progress": [SHOP._replace(lag_seconds=601)]}
    assert found(Limits(lag_limit_minutes=10), **late) == [(Level.WARNINGS, "lag")]
    assert found(Limits(lag_limit_minutes=11), **late) == []
    assert found(Limits(quarantine_severity="error"), recent=reason(1, 200)) == [(Level.BROKEN, "quarantine")]
    assert found(Limits(quarantine_percent_limit=0), recent=reason(1, 200))[0] == (Level.BROKEN, "quarantine_limit")
    assert found(Limits(build_age_limit_hours=1), last_built_at=NOON - dt.timedelta(hours=2)) == [
        (Level.WARNINGS, "old_build")
    ]


def test_a_finding_names_its_sources_its_number_and_the_next_step() -> None:
    progress = [SHOP._replace(source_name=f"s{number}", unread=2) for number in range(7)]
    (finding,) = judge(replace(FINE, progress=progress), Limits()).findings
    assert finding == Finding(
        Level.WARNINGS,
        "unread",
        "14 unread messages of s0, s1, s2, s3, s4 and 2 more: landed since the last build.",
        "Run .venv/bin/dbt build, or .venv/bin/dbt build --selector increment_typed.",
        tuple(f"s{number}" for number in range(7)),
        14,
    )
    (finding,) = judge(replace(FINE, recent=reason(1, 200)), Limits()).findings
    assert finding.text == "1 message in quarantine as malformed_json in 7 days (shop)."
    assert finding.remedy == "Correct the writer."
    replayed = [row._replace(remedy="Store the schema, replay, then build.") for row in reason(1, 200)]
    (finding,) = judge(replace(FINE, recent=replayed), Limits()).findings
    command = "The command: .venv/bin/dbt run-operation replay --args '{reason_code: malformed_json}'"
    assert finding.remedy == f"Store the schema, replay, then build. {command}"


def test_unknown_facts_are_listed_and_are_not_findings() -> None:
    unasked = Missing("not known without a server.", is_failure=False)
    verdict = judge(
        replace(
            FINE,
            no_server="No server answers.",
            is_built=None,
            recent=unasked,
            anomalies=dict.fromkeys(ANOMALIES, unasked),
            results=BuildResults("build", NOON, 0, []),
        ),
        Limits(),
    )
    assert [finding.kind for finding in verdict.findings] == ["no_server"]
    assert verdict.unknown == [
        "Tests: the last build (dbt build) ran none.",
        f"Recent quarantine, {', '.join(ANOMALIES)}: not known without a server.",
    ]


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "progress": st.lists(
            st.builds(
                SHOP._replace,
                unread=st.integers(-2, 2),
                state=st.sampled_from(["active", "idle", "silent", "never seen"]),
                landed=st.integers(0, 2),
            ),
            max_size=4,
        ),
        "recent": st.tuples(st.integers(0, 300), st.integers(0, 300)).map(lambda pair: reason(min(pair), max(pair))),
        "results": st.lists(st.sampled_from(["warn", "fail", "error"]), max_size=3).map(
            lambda statuses: results(*(NodeResult("t", status, 1, "") for status in statuses))
        ),
        "last_built_at": st.integers(0, 100).map(lambda hours: NOON - dt.timedelta(hours=hours)),
        "no_server": st.none() | st.just("No server answers."),
        "is_server_stuck": st.booleans(),
    },
)


@given(CHANGES)
def test_the_verdict_is_its_worst_finding_and_comes_first(changes: dict[str, object]) -> None:
    verdict = judge(replace(FINE, **changes), Limits())  # type: ignore[arg-type]
    levels = [finding.level for finding in verdict.findings]
    assert levels == sorted(levels, reverse=True)
    assert verdict.level == max(levels, default=Level.FINE)
    for finding in verdict.findings:
        assert finding.level > Level.FINE
        assert finding.text.endswith((".", ":")), finding
        assert finding.remedy
        assert f"`{finding.kind}`" in PAGE, "docs/monitoring.md has a table of all findings"


def test_every_kind_of_finding_is_in_the_table() -> None:
    code = (PROJECT_DIR / "watershed" / "health" / "verdict.py").read_text("utf-8")
    kinds = set(re.findall(r'Finding\([\w.]+, "(\w+)"', code)) | {"quarantine", *ANOMALIES}
    assert kinds == set(re.findall(r"(?m)^\| `(\w+)` \| (?:warning|broken)", PAGE))


def test_limits_are_read_from_the_project(tmp_path: Path) -> None:
    assert read_limits(PROJECT_DIR) == Limits()
    assert read_limits(tmp_path) == Limits()
    (tmp_path / "dbt_project.yml").write_text(
        "vars:\n  lag_limit_minutes: 5\n  quarantine_severity: 'error'\n  quarantine_percent_limit: 0.5\n"
    )
    assert read_limits(tmp_path) == Limits(
        lag_limit_minutes=5, quarantine_severity="error", quarantine_percent_limit=0.5
    )
    (tmp_path / "dbt_project.yml").write_text("vars:\n  lag_limit_minutes: many\n")
    with pytest.raises(WatershedError, match=r"variable lag_limit_minutes: expected a number, found 'many'"):
        read_limits(tmp_path)
    declared = (PROJECT_DIR / "dbt_project.yml").read_text("utf-8")
    assert [name for name in Limits._fields if f"\n  {name}: " not in declared] == []


def test_a_build_that_found_nothing_new_counts_as_a_build() -> None:
    hour = dt.timedelta(hours=1)
    assert last_build(NOON - hour, PASSED) == NOON
    assert last_build(NOON + hour, PASSED) == NOON + hour
    assert last_build(None, NoResults("")) is None


def test_typed_snapshots_that_lag_are_warnings_with_their_command() -> None:
    lags = [
        Lag("shop", "db.orders", "messages contain the column a, which snapshot_shop__orders lacks", "run this"),
        Lag("shop", "db.orders", "messages contain the column b, which snapshot_shop__orders lacks", "run this"),
        Lag("shop", "db.log", "messages contain the table, which has no typed snapshot", "run that"),
    ]
    found = judge(replace(FINE, lags=lags), Limits()).findings
    assert {(one.level, one.kind, one.sources) for one in found} == {(Level.WARNINGS, "snapshot_lag", ("shop",))}
    assert [(one.text.removeprefix("Typed snapshots lag: "), one.remedy) for one in found] == [
        (
            "shop, db.orders: messages contain the column a, which snapshot_shop__orders lacks, and 1 other column.",
            "run this",
        ),
        ("shop, db.log: messages contain the table, which has no typed snapshot.", "run that"),
    ]


def test_typed_snapshots_that_builds_left_out_are_one_warning() -> None:
    left_out = [LeftOut("snapshot_shop__orders", "shop"), LeftOut("snapshot_shop__items", "shop")]
    (finding,) = judge(replace(FINE, left_out=left_out), Limits()).findings
    assert (finding.kind, finding.affected, finding.sources) == ("snapshot_left_out", 2, ("shop",))
    assert "increment_typed" in finding.remedy


def test_only_typed_snapshots_whose_tables_exist_are_asked_for(tmp_path: Path) -> None:
    assert snapshot_models(tmp_path) == []
    models = [SnapshotModel("One", "it's", "t", None, None), SnapshotModel("two", "s", "t", "d", None)]
    query = left_out_query(models, "watershed", {"one", "row_states"})
    assert query is not None
    assert "it\\'s" in query
    assert "two" not in query
    assert left_out_query(models, "watershed", set()) is None


@pytest.mark.parametrize(
    ("stamp", "last_append", "snapshot_append", "is_deleted", "changed_at", "expected"),
    [
        pytest.param(4, 4, 3, 0, 101, ["one"], id="a row changed"),
        pytest.param(4, 4, 3, 0, 100, [], id="a redelivered change"),
        pytest.param(4, 4, 4, 0, 101, [], id="the snapshot has read it"),
        pytest.param(4, 4, 3, 1, 101, [], id="a deleted row that the snapshot never had"),
        # A rebuild of row_states stamps carried rows with the newest append of all sources.
        pytest.param(7, 4, 4, 0, 101, [], id="the table has no newer append"),
        pytest.param(7, 5, 4, 0, 101, ["one"], id="and here it has one"),
    ],
)
def test_a_snapshot_is_older_if_its_next_build_reads_rows(
    stamp: int, last_append: int, snapshot_append: int, is_deleted: int, changed_at: int, expected: list[str]
) -> None:
    """The query of `status`, run by SQLite: it asks what macros/build/snapshot_step.sql asks."""
    lake = sqlite3.connect(":memory:")
    lake.create_function("least", 2, min)
    lake.executescript(f"""
        attach ':memory:' as watershed;
        create table watershed.row_states as
            select 1 as row_id, 's' as source_name, 't' as table_name, {stamp} as append_number,
                {is_deleted} as is_deleted, {changed_at} as changed_at;
        create table watershed.appends as
            select 's' as source_name, 'T' as table_name, {last_append} as append_number, 1 as row_changes,
                0 as truncates
            union all select 'other', 't', 7, 1, 0
            union all select 's', 'another', 7, 1, 0
            union all select 's', null, 7, 0, 0;
        create table watershed.one as
            select 2 as row_id, {snapshot_append} as append_number, 100 as changed_at;
    """)
    query = left_out_query([SnapshotModel("one", "s", "t", None, None)], "watershed", {"one"})
    assert query is not None
    assert [name for name, _ in lake.execute(query)] == expected
