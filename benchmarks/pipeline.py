"""The steps of Watershed timed by several benchmarks: from empty tables to events and row states."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.change_log import Shape
from benchmarks.families import databus_json
from benchmarks.format_messages import make_files
from benchmarks.machine import Timing
from benchmarks.watershed_side import SCHEMA, Project

FLATTEN_COMMAND = "Watershed: dbt run of staging and events"
FLATTEN = "Watershed: events alone"
MANIFEST = "Watershed: appends alone"
FOLD_COMMAND = "Watershed: dbt run of row_states"
FOLD = "Watershed: row_states alone"


def build(project: Project, add: Callable[[str, Timing], object]) -> None:
    """Build events, appends and row_states from empty tables, and report the time of each command and each model."""
    project.sql(
        f"create schema if not exists {SCHEMA}",
        f"drop table if exists {SCHEMA}.row_states",
        f"drop table if exists {SCHEMA}.appends",
        f"drop table if exists {SCHEMA}.events",
    )
    # By path, because `events` would also select the folder.
    flatten, manifest = "models/events/events.sql", "models/events/appends.sql"
    timing, nodes = project.dbt("run", "--select", "staging", flatten)
    add(FLATTEN_COMMAND, timing)
    add(FLATTEN, server_part(timing, nodes["events"]))
    timing, nodes = project.dbt("run", "--select", "+appends", "--exclude", "staging", flatten)
    add(MANIFEST, server_part(timing, nodes["appends"]))
    timing, nodes = project.dbt("run", "--select", "+row_states", "--exclude", "staging", flatten, manifest)
    add(FOLD_COMMAND, timing)
    add(FOLD, server_part(timing, nodes["row_states"]))


def store_schemas(project: Project, format_name: str, work: Path) -> None:
    """Store the schemas of the messages, for formats with separate schemas."""
    if format_name.startswith("databus_"):
        project.store_schemas(format_name, databus_json.write_schemas(work))


def land(project: Project, format_name: str, shape: Shape, work: Path) -> Timing:
    """Generate the messages of a shape unless they exist, and land them; return only the time of landing."""
    files = make_files(format_name, shape, work)
    say(f"{sum(file.stat().st_size for file in files):,} bytes of envelopes; landing")
    store_schemas(project, format_name, work)
    timing = project.land(format_name, files)
    say(f"landed in {timing.seconds:.1f} s; Watershed")
    return timing


def export(project: Project, folder: Path) -> None:
    """Write the published tables as Parquet, without timing."""
    project.dbt("run", "--select", "changelog", "rows", "--exclude", "row_states")
    for model in ("changelog", "current_rows"):
        target = str(folder / model).replace("'", "\\'")
        project.sql(f"insert overwrite directory '{target}' using parquet select * from {SCHEMA}.{model}")


def server_part(timing: Timing, seconds: float) -> Timing:
    """Return the time of the single node of a dbt command, without that of dbt."""
    return replace(timing, seconds=seconds, cpu_seconds=timing.server_cpu_seconds)


def total_of(*timings: Timing) -> Timing:
    """Return the time of steps one after the other."""
    return Timing(sum(one.seconds for one in timings), sum(one.cpu_seconds for one in timings), timings[0].load_before)


def say(text: str) -> None:
    """Print the progress; figures go to the other stream."""
    print(text, file=sys.stderr, flush=True)


def say_timing(name: str, timing: Timing) -> None:
    """Print a time as soon as it is known."""
    say(f"  {name}: {timing.seconds:.2f} s, {timing.cpu_seconds:.2f} s of processor (load {timing.load_before:.1f})")
