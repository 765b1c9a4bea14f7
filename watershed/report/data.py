"""What the health report asks the server, and what it gets."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pyhive import hive

from watershed.client import QueryError, quote, run
from watershed.errors import WatershedError
from watershed.iceberg import is_iceberg, size_of
from watershed.report.steps import Step, step_for
from watershed.report.tests import DataTests, read_tests, silent_after_minutes

Part = TypeVar("Part")
OUTCOMES = ("change", "control", "duplicate", "quarantined")


@dataclass(frozen=True)
class Unread:
    """A part that the server did not give, and what it said."""

    message: str


class Progress(NamedTuple):
    """How far a source is."""

    source_name: str
    format: str
    state: str
    landed: int
    unread: int
    last_landed_at: dt.datetime | None
    complete_up_to: dt.datetime | None
    lag_seconds: int | None


class OutcomeCount(NamedTuple):
    """Events of a source that landed in one step of time and have one outcome."""

    source_name: str
    landed_at: dt.datetime
    outcome: str
    events: int


@dataclass(frozen=True)
class Outcomes:
    """All of them, and the step of time they are counted by."""

    step: Step
    counts: list[OutcomeCount]


class QuarantineCount(NamedTuple):
    """Events of a source in quarantine for one reason."""

    reason_code: str
    meaning: str | None
    remedy: str | None
    source_name: str
    events: int
    first_landed_at: dt.datetime
    last_landed_at: dt.datetime
    place: str | None


class Build(NamedTuple):
    """A build that read messages."""

    built_at: dt.datetime
    events: int
    sources: int
    quarantined: int


class TableSize(NamedTuple):
    """A stored table; views have no size. Files and bytes are those of its newest version."""

    name: str
    rows: int
    files: int | None
    bytes: int | None
    changed_at: dt.datetime | None


class AnomalyCount(NamedTuple):
    """How often a report model has something to say of a table, or of a stream."""

    kind: str
    source_name: str
    place: str | None
    found: int


@dataclass(frozen=True)
class Health:
    """Everything the page shows."""

    schema: str
    asked_at: dt.datetime
    progress: list[Progress] | Unread
    outcomes: Outcomes | Unread
    quarantine: list[QuarantineCount] | Unread
    ordering_anomalies: list[AnomalyCount] | Unread
    image_anomalies: list[AnomalyCount] | Unread
    databus_windows: list[AnomalyCount] | Unread
    schema_drift: list[AnomalyCount] | Unread
    builds: list[Build] | Unread
    tables: list[TableSize] | Unread
    tests: DataTests | None
    silent_after: int | None


_PROGRESS = """
with landed as (
    select source_name, count(*) as messages from landing.messages group by source_name
),

read as (
    select source_name, sum(messages) as messages from {schema}.source_outcomes group by source_name
)

select
    progress.source_name,
    progress.format,
    progress.state,
    coalesce(landed.messages, 0),
    coalesce(landed.messages, 0) - coalesce(read.messages, 0),
    progress.last_landed_at,
    progress.complete_up_to,
    progress.lag_seconds
from {schema}.source_progress as progress
left join landed on progress.source_name = landed.source_name
left join read on progress.source_name = read.source_name
order by progress.source_name
"""

_OUTCOMES = """
select source_name, date_trunc('{step}', landed_at) as landed_in, outcome, count(*)
from {schema}.events
group by source_name, landed_in, outcome
order by source_name, landed_in, outcome
"""

_QUARANTINE = """
select
    quarantine.reason_code,
    reason_codes.meaning,
    reason_codes.remedy,
    quarantine.source_name,
    count(*) as events,
    min(quarantine.landed_at),
    max(quarantine.landed_at),
    min(concat_ws(' / ', quarantine.topic, quarantine.partition, quarantine.offset))
from {schema}.quarantine as quarantine
left join {schema}.reason_codes as reason_codes on quarantine.reason_code = reason_codes.reason_code
group by quarantine.reason_code, reason_codes.meaning, reason_codes.remedy, quarantine.source_name
order by events desc, quarantine.reason_code, quarantine.source_name
"""

_ANOMALIES = """
select {kind} as kind, source_name, concat_ws('.', database_name, schema_name, table_name) as place, count(*) as found
from {schema}.{model}
group by kind, source_name, place
order by found desc, kind, source_name, place
"""

_WINDOWS = """
select kind, source_name, concat(topic, ' / ', partition) as place, count(*) as found
from {schema}.databus_windows
    lateral view explode(array_compact(array(
        if(window_state = 'missing_end_of_period', window_state, null),
        if(is_regressed, 'regressed', null),
        if(is_overlapping, 'overlapping', null),
        if(is_gap_before, 'gap_before', null)
    ))) kinds as kind
group by kind, source_name, place
order by found desc, kind, source_name, place
"""


_BUILDS = """
select appended_at, count(*), count(distinct source_name), count_if(outcome = 'quarantined')
from {schema}.events
group by appended_at
order by appended_at desc
limit 50
"""


def read_health(cursor: hive.Cursor, schema: str, project_dir: Path, tell: Callable[[str], None]) -> Health:
    """Ask for every part; one that fails becomes what the server said, and the others are read all the same.

    Args:
        cursor: A session of its own; its time zone becomes UTC.
        schema: The schema of the published models.
        project_dir: The dbt project, whose target folder has the results of tests.
        tell: Called with what is asked next.

    Raises:
        WatershedError: the schema has no events, so that there is nothing to tell.
        NoServerError: the connection was lost.
    """
    quoted = quote(schema)
    run(cursor, "set time zone 'UTC'")
    try:
        run(cursor, f"select 1 from {quoted}.events limit 0")
    except QueryError as error:
        raise WatershedError(
            f"Schema {schema!r} has no table events: {str(error).splitlines()[0]}",
            "Build it with `dbt build`, or set WATERSHED_SCHEMA to the schema that was built.",
        ) from error

    def ask(row_type: Callable[..., Part], what: str, statement: str, **names: str) -> list[Part] | Unread:
        tell(what)
        return _tried(lambda: [row_type(*row) for row in run(cursor, statement.format(schema=quoted, **names))[1]])

    def anomalies(model: str, kind: str) -> list[AnomalyCount] | Unread:
        return ask(AnomalyCount, model, _ANOMALIES, kind=kind, model=model)

    def outcomes() -> Outcomes | Unread:
        tell("what became of the messages")
        return _tried(lambda: _read_outcomes(cursor, quoted))

    def tables() -> list[TableSize] | Unread:
        tell("the size of the tables")
        return _tried(lambda: _read_sizes(cursor, [schema, "landing"]))

    return Health(
        schema=schema,
        asked_at=dt.datetime.now(dt.UTC).replace(tzinfo=None),
        progress=ask(Progress, "how far each source is", _PROGRESS),
        outcomes=outcomes(),
        quarantine=ask(QuarantineCount, "quarantine", _QUARANTINE),
        ordering_anomalies=anomalies("ordering_anomalies", "anomaly"),
        image_anomalies=anomalies("image_anomalies", "anomaly"),
        databus_windows=ask(AnomalyCount, "databus_windows", _WINDOWS),
        schema_drift=anomalies("schema_drift", "change_kind"),
        builds=ask(Build, "builds", _BUILDS),
        tables=tables(),
        tests=read_tests(project_dir),
        silent_after=silent_after_minutes(project_dir),
    )


def _tried(read: Callable[[], Part]) -> Part | Unread:
    try:
        return read()
    except QueryError as error:
        return Unread(str(error).splitlines()[0])


def _read_outcomes(cursor: hive.Cursor, schema: str) -> Outcomes:
    ((first, last),) = run(cursor, f"select min(landed_at), max(landed_at) from {schema}.events")[1]
    if first is None:
        return Outcomes(Step.DAY, [])
    step = step_for(first, last)
    rows = run(cursor, _OUTCOMES.format(schema=schema, step=step))[1]
    return Outcomes(step, [OutcomeCount(*row) for row in rows])


def _read_sizes(cursor: hive.Cursor, schemas: list[str]) -> list[TableSize]:
    sizes = []
    for schema in schemas:
        views = {row[1] for row in run(cursor, f"show views in {quote(schema)}")[1]}
        for _, name, is_temporary in run(cursor, f"show tables in {quote(schema)}")[1]:
            if name not in views and not is_temporary:
                sizes.append(_read_size(cursor, schema, name))
    return sorted(sizes, key=lambda size: (-(size.bytes or 0), size.name))


def _read_size(cursor: hive.Cursor, schema: str, name: str) -> TableSize:
    table = f"{quote(schema)}.{quote(name)}"
    if is_iceberg(cursor, table):
        return TableSize(f"{schema}.{name}", *size_of(cursor, table))
    names, (values,) = run(cursor, f"describe detail {table}")
    detail: dict[str, Any] = dict(zip(names, values, strict=True))
    ((rows,),) = run(cursor, f"select count(*) from {table}")[1]
    return TableSize(f"{schema}.{name}", rows, detail["numFiles"], detail["sizeInBytes"], detail["lastModified"])
