"""Input of Spark's statements from its event log: files, bytes and rows of each table."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FLUSH_SECONDS = 2.0
_METRICS = {"number of files read": "files", "size of files read": "file_bytes", "number of output rows": "rows"}
_SQL = "org.apache.spark.sql.execution.ui."
_SCAN = re.compile(r"Scan parquet (?:[^.]+\.)*([^.]+)")
"""A scan of a table; Delta reads its own log with others."""
_MODEL = re.compile(r'"node_id": "model\.[^".]+\.([^".]+)"')
"""What dbt writes at the head of each statement."""


@dataclass
class Read:
    """Input from one table: its files and their sizes, the output rows, and the bytes actually read."""

    files: int = 0
    file_bytes: int = 0
    rows: int = 0
    bytes: int = 0


def environment(folder: Path) -> dict[str, str]:
    """Return the settings by which a server writes its event log to a file in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {
        "eventLog.enabled": "true",
        "eventLog.dir": folder.as_uri(),
        "eventLog.compress": "false",
        "eventLog.rolling.enabled": "false",
        # Vectored reads run in threads whose bytes are not counted.
        "hadoop.parquet.hadoop.vectored.io.enabled": "false",
    }
    options = " ".join(f"-Dspark.{name}={value}" for name, value in chosen.items())
    return {"JAVA_TOOL_OPTIONS": f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} {options}".strip()}


class SparkLog:
    """The event log of a server, read step by step.

    Args:
        folder: Where the server writes it.
    """

    def __init__(self, folder: Path) -> None:
        """Start at its beginning."""
        self._folder = folder
        self._place = 0

    def new_events(self) -> list[dict[str, Any]]:
        """Return the events since the last call."""
        # Listeners are asynchronous: the events of a statement arrive shortly after its end.
        time.sleep(_FLUSH_SECONDS)
        [path] = self._folder.iterdir()
        with path.open("rb") as stream:
            stream.seek(self._place)
            content = stream.read()
        content = content[: content.rfind(b"\n") + 1]
        self._place += len(content)
        return [json.loads(line) for line in content.splitlines()]


def reads(events: list[dict[str, Any]], column: str | None = None, are_columns_told: bool = False) -> dict[str, Read]:
    """Return the files, bytes and rows that were read from each table.

    Args:
        events: Of a `SparkLog`.
        column: Count only scans that read this column.
        are_columns_told: Distinguish scans of different columns of a table: `table: column, column`.
    """
    scans: dict[int, tuple[str, str]] = {}
    found: dict[str, Read] = {}
    for event in events:
        kind = event["Event"]
        if kind in (f"{_SQL}SparkListenerSQLExecutionStart", f"{_SQL}SparkListenerSQLAdaptiveExecutionUpdate"):
            scans |= dict(_scans(event["sparkPlanInfo"], column, are_columns_told))
        elif kind == f"{_SQL}SparkListenerDriverAccumUpdates":
            for number, value in event["accumUpdates"]:
                _count(found, scans, number, value)
        elif kind == "SparkListenerTaskEnd":
            _count_task(found, scans, event)
    return found


def task_seconds(events: list[dict[str, Any]]) -> dict[str, float]:
    """Return the processor seconds of the tasks of each dbt model: without planning, compiling and Python workers."""
    models: dict[int, str] = {}
    seconds: dict[str, float] = {}
    for event in events:
        if event["Event"] == "SparkListenerJobStart":
            model = _MODEL.search((event.get("Properties") or {}).get("spark.job.description", ""))
            models |= {stage: model[1] for stage in event["Stage IDs"] if model}
        elif event["Event"] == "SparkListenerTaskEnd" and event["Stage ID"] in models:
            spent = (event.get("Task Metrics") or {}).get("Executor CPU Time", 0) / 1e9
            model_name = models[event["Stage ID"]]
            seconds[model_name] = seconds.get(model_name, 0.0) + spent
    return seconds


def _scans(plan: dict[str, Any], column: str | None, are_columns_told: bool) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the number of each metric of a scan with the table and what it counts."""
    table = _SCAN.fullmatch(plan["nodeName"].strip())
    columns = _columns(plan.get("metadata", {}).get("ReadSchema", ""))
    if table and (column is None or column in columns):
        name = f"{table[1]}: {', '.join(columns)}" if are_columns_told else table[1]
        for metric in plan["metrics"]:
            if metric["name"] in _METRICS:
                yield metric["accumulatorId"], (name, _METRICS[metric["name"]])
    for child in plan["children"]:
        yield from _scans(child, column, are_columns_told)


def _columns(schema: str) -> list[str]:
    """Return the names of the columns of a type such as `struct<a:int,b:struct<c:int>>`."""
    inner = schema.removeprefix("struct<").removesuffix(">")
    shorter = None
    while shorter != inner:  # from the inside out
        shorter, inner = inner, re.sub(r"[<(][^<>()]*[>)]", "", inner)
    return [part.partition(":")[0] for part in inner.split(",") if part]


def _count_task(found: dict[str, Read], scans: dict[int, tuple[str, str]], event: dict[str, Any]) -> None:
    tables = set()
    for one in event["Task Info"]["Accumulables"]:
        if one["ID"] in scans:
            _count(found, scans, one["ID"], int(one.get("Update", 0)))
            tables.add(scans[one["ID"]][0])
    if len(tables) == 1:  # a task reads one table at a time; a union of two would be counted for neither
        metrics = event.get("Task Metrics") or {}
        found[tables.pop()].bytes += metrics.get("Input Metrics", {}).get("Bytes Read", 0)


def _count(found: dict[str, Read], scans: dict[int, tuple[str, str]], number: int, value: int) -> None:
    if number in scans:
        table, name = scans[number]
        read = found.setdefault(table, Read())
        setattr(read, name, getattr(read, name) + value)
