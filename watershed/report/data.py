"""The parts of the health report: the facts of the verdict, and what only the page shows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from pyhive import hive

from watershed.health import questions
from watershed.health.questions import Build, OutcomeCount, QuarantineCount
from watershed.health.verdict import Facts, Limits, Missing, Verdict, judge
from watershed.maintenance.iceberg import is_iceberg, size_of
from watershed.report.steps import Step, step_for
from watershed.server.client import QueryError, quote, run

Part = TypeVar("Part")
OUTCOMES = ("change", "control", "duplicate", "quarantined")


@dataclass(frozen=True)
class Outcomes:
    """Events by outcome, and the step of time they are counted by."""

    step: Step
    counts: list[OutcomeCount]


class TableSize(NamedTuple):
    """A stored table; views have no size. Files and bytes are those of its newest version."""

    name: str
    rows: int
    files: int | None
    bytes: int | None
    changed_at: dt.datetime | None


@dataclass(frozen=True)
class Health:
    """Everything the page shows."""

    facts: Facts
    limits: Limits
    outcomes: Outcomes | Missing
    quarantine: list[QuarantineCount] | Missing
    builds: list[Build] | Missing
    tables: list[TableSize] | Missing
    other_sources: Sequence[str] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict that `watershed status` gives too."""
        return judge(self.facts, self.limits)

    @property
    def unread(self) -> list[str]:
        """The parts that could not be read."""
        parts = {**vars(self), "progress": self.facts.progress, "recent": self.facts.recent, **self.facts.anomalies}
        return [name for name, part in parts.items() if isinstance(part, Missing) and part.is_failure]


def read_health(cursor: hive.Cursor, facts: Facts, limits: Limits, show: Callable[[str], None]) -> Health:
    """Query every part of the page; one that fails is missing, and does not affect the others.

    Args:
        cursor: A session of its own; its time zone becomes UTC.
        facts: The facts of the verdict.
        limits: The limits of the verdict.
        show: Called with the name of the next part.

    Raises:
        NoServerError: the connection was lost.
    """
    schema = quote(facts.schema)
    run(cursor, "set time zone 'UTC'")

    def ask(what: str, read: Callable[[], Part]) -> Part | Missing:
        show(what)
        try:
            return read()
        except QueryError as error:
            return Missing(str(error).splitlines()[0])

    def rows(query: str) -> list[tuple[Any, ...]]:
        return run(cursor, query.format(schema=schema))[1]

    others = ask("sources that are not configured", lambda: [name for (name,) in rows(questions.OTHER_SOURCES)])
    return Health(
        facts,
        limits,
        outcomes=ask("events by outcome", lambda: _read_outcomes(cursor, schema)),
        quarantine=ask("quarantine", lambda: [QuarantineCount(*row) for row in rows(questions.QUARANTINE)]),
        builds=ask("builds", lambda: [Build(*row) for row in rows(questions.BUILDS)]),
        tables=ask("the size of the tables", lambda: _read_sizes(cursor, [facts.schema, "landing"])),
        other_sources=[] if isinstance(others, Missing) else others,
    )


def _read_outcomes(cursor: hive.Cursor, schema: str) -> Outcomes:
    ((first, last),) = run(cursor, questions.OUTCOMES_SPAN.format(schema=schema))[1]
    if first is None:
        return Outcomes(Step.DAY, [])
    step = step_for(first, last)
    rows = run(cursor, questions.OUTCOMES.format(schema=schema, step=step))[1]
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
