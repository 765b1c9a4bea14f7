"""Reading Spark's event log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.spark_log import Read, SparkLog, reads, task_seconds

SQL = "org.apache.spark.sql.execution.ui."


def scan(table: str, first: int, schema: str, kind: str = "Scan parquet") -> dict[str, Any]:
    names = ["number of files read", "size of files read", "number of output rows", "scan time"]
    metrics = [{"name": name, "accumulatorId": first + place} for place, name in enumerate(names)]
    return {"nodeName": f"{kind} {table}", "metadata": {"ReadSchema": schema}, "children": [], "metrics": metrics}


def start(*scans: dict[str, Any]) -> dict[str, Any]:
    plan = {"nodeName": "Union", "children": list(scans), "metrics": []}
    return {"Event": f"{SQL}SparkListenerSQLExecutionStart", "sparkPlanInfo": plan}


def on_driver(*counts: tuple[int, int]) -> dict[str, Any]:
    return {"Event": f"{SQL}SparkListenerDriverAccumUpdates", "accumUpdates": [list(count) for count in counts]}


def task(number: int, rows: int, size: int) -> dict[str, Any]:
    info = {"Accumulables": [{"ID": number, "Update": str(rows)}, {"ID": 999}]}
    return {
        "Event": "SparkListenerTaskEnd",
        "Task Info": info,
        "Task Metrics": {"Input Metrics": {"Bytes Read": size}},
    }


EVENTS = [
    start(
        scan("spark_catalog.landing.messages", 10, "struct<batch_id:string>"),
        scan("spark_catalog.landing.messages", 20, "struct<value:binary,batch_id:string>"),
        scan("spark_catalog.watershed.events", 30, "struct<change_id:string>"),
        scan("", 40, "struct<value:string>", "Scan json"),
    ),
    on_driver((10, 2), (11, 2_000), (20, 1), (21, 1_000), (30, 3), (31, 500), (40, 9)),
    task(12, 70, 7),
    task(12, 30, 3),
    task(22, 50, 400),
    task(42, 5, 5),
    {"Event": "SparkListenerTaskEnd", "Task Info": {"Accumulables": []}},
]


def test_reads_are_counted_by_table() -> None:
    assert reads(EVENTS) == {
        "messages": Read(files=3, file_bytes=3_000, rows=150, bytes=410),
        "events": Read(files=3, file_bytes=500),
    }


def test_scans_without_a_column_are_left_out() -> None:
    assert reads(EVENTS, "value") == {"messages": Read(files=1, file_bytes=1_000, rows=50, bytes=400)}


def test_scans_of_other_columns_are_distinguished() -> None:
    found = reads(
        [
            start(scan("w.t", 1, "struct<a:decimal(38,0),b:struct<c:int,d:map<string,string>>,e:int>")),
            on_driver((1, 4)),
        ],
        are_columns_told=True,
    )
    assert found == {"t: a, b, e": Read(files=4)}


def test_tasks_are_counted_by_model() -> None:
    def job(model: str, *stages: int) -> dict[str, Any]:
        description = f'/* {{"app": "dbt", "node_id": "model.watershed.{model}"}} */ insert into t'
        return {
            "Event": "SparkListenerJobStart",
            "Stage IDs": stages,
            "Properties": {"spark.job.description": description},
        }

    def end(stage: int, nanos: int) -> dict[str, Any]:
        return {"Event": "SparkListenerTaskEnd", "Stage ID": stage, "Task Metrics": {"Executor CPU Time": nanos}}

    alone = {"Event": "SparkListenerJobStart", "Stage IDs": [9]}
    log = [alone, job("events", 1, 2), end(1, 10**9), end(9, 10**9), end(2, 5 * 10**8), job("row_states", 3), end(3, 0)]
    assert task_seconds(log) == {"events": 1.5, "row_states": 0.0}


def test_a_log_is_read_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.spark_log._FLUSH_SECONDS", 0)
    path = tmp_path / "local-1.inprogress"
    lines = [json.dumps(event).encode() + b"\n" for event in EVENTS]
    path.write_bytes(lines[0] + lines[1][:10])
    log = SparkLog(tmp_path)
    assert log.new_events() == EVENTS[:1]
    path.write_bytes(b"".join(lines))
    assert log.new_events() == EVENTS[1:]
    assert log.new_events() == []
