"""The page of the health report: what the template page.html shows, computed from the gathered parts."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from watershed.health.build_results import BuildResults
from watershed.health.questions import AnomalyCount, Progress, QuarantineCount
from watershed.health.verdict import Missing, named
from watershed.report.data import OUTCOMES, Health, Outcomes, TableSize
from watershed.report.findings import BADGES, Badge, headlines, section_of, state_of
from watershed.report.steps import label, steps_between
from watershed.server.client import literal, quote
from watershed.tables import counted
from watershed.texts import duration, moment, number, size, visible

Name = TypeVar("Name", str, tuple[str, str])
Part = TypeVar("Part")
Shown = TypeVar("Shown")
MOST_PLOTS = 60
MOST_ROWS = 500
"""Rows of one table, so that the page of any warehouse can be opened; the page states how many it leaves out."""
MOST_FINDINGS = 8
"""Findings that are shown at once; the others are folded away, on screens."""
FEWEST_STEPS = 3
"""Events of fewer steps of time are not drawn over time."""
REPORTS = {
    "ordering_anomalies": ("Order of changes", "Changes whose order is doubtful."),
    "image_anomalies": (
        "Row images",
        "Changes that do not fit the previous version of their row: a message was lost or altered.",
    ),
    "ddl_anomalies": (
        "Schema changes",
        "DDL statements whose effect on the rows is not applied, or not certain.",
    ),
    "databus_windows": (
        "Databus windows",
        "Windows of Databus streams whose events are incomplete or out of order.",
    ),
    "schema_drift": (
        "Changes of columns",
        "New and removed columns, and columns with another type. Run watershed snapshots to update typed snapshots.",
    ),
}
"""Title and meaning of each report of anomalies."""
KEY = {
    "change": "changes",
    "control": "control events (heartbeats, DDL, transaction marks)",
    "duplicate": "duplicates (redeliveries)",
    "quarantined": "quarantined",
}


class Code(NamedTuple):
    """A command to copy."""

    command: str


class Shares(NamedTuple):
    """A bar: percent of the longest bar by outcome, and the same in words."""

    shares: dict[str, float]
    words: str


@dataclass(frozen=True)
class Table:
    """A table: its name for those who do not see it, and rows of values; the first value names the row."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]

    @property
    def numeric(self) -> set[int]:
        """The places of columns with numbers."""
        return {place for row in self.rows for place, value in enumerate(row) if isinstance(value, int)}


def render(health: Health) -> str:
    """Return the page: one HTML text without scripts, which requests nothing from elsewhere."""
    schema, results = health.facts.schema, health.facts.results
    return _ENVIRONMENT.get_template("page.html").render(
        health=health,
        badges=BADGES,
        section_of=section_of,
        headlines=headlines(health),
        left_out=f"{counted(len(health.other_sources), 'source')}: {named(health.other_sources)}",
        sources=_unless_missing(health.facts.progress, _sources),
        outcomes=_unless_missing(health.outcomes, _outcomes),
        quarantine=_unless_missing(health.quarantine, partial(_quarantine, schema=schema)),
        anomalies=[
            (*REPORTS[name], name, _unless_missing(part, partial(_anomalies, model=name, schema=schema)))
            for name, part in health.facts.anomalies.items()
        ],
        results=_results(results, health.facts.asked_at) if isinstance(results, BuildResults) else results,
        builds=_unless_missing(
            health.builds, partial(Table, "Builds", ["built at", "events", "sources", "quarantined"])
        ),
        tables=_unless_missing(health.tables, _tables),
    )


def _unless_missing(part: Part | Missing, shown: Callable[[Part], Shown]) -> Shown | Missing:
    return part if isinstance(part, Missing) else shown(part)


def _sources(progress: Sequence[Progress]) -> Table:
    columns = ["source", "state", "lag", "messages", "unread", "complete up to", "last landed", "format"]
    rows = [
        (
            row.source_name,
            state_of(row),
            None if row.lag_seconds is None else duration(row.lag_seconds),
            row.landed,
            row.unread,
            row.complete_up_to,
            row.last_landed_at,
            row.format,
        )
        for row in progress
    ]
    return Table("Sources", columns, rows)


def _outcomes(outcomes: Outcomes) -> dict[str, Any]:
    if not outcomes.counts:
        return {}
    step, counts = outcomes.step, outcomes.counts
    first, last = min(row.landed_at for row in counts), max(row.landed_at for row in counts)
    steps = steps_between(step, first, last)
    events = Counter({(row.source_name, row.landed_at, row.outcome): row.events for row in counts})
    totals: dict[str, Counter[str]] = {}
    for row in counts:
        totals.setdefault(row.source_name, Counter())[row.outcome] += row.events
    totals = dict(sorted(totals.items(), key=lambda item: (-item[1].total(), item[0])))
    most = max(parts.total() for parts in totals.values())
    by_step = {
        source: [{name: events[source, at, name] for name in OUTCOMES} for at in steps]
        for source in list(totals)[:MOST_PLOTS]
    }
    moments = dict.fromkeys((row.source_name, row.landed_at) for row in counts)
    return {
        "step": step,
        "first": label(step, first),
        "last": label(step, last),
        "axis": (label(step, steps[0]), label(step, steps[-1])),
        "bars": Table(
            "Events of each source by outcome",
            ["source", "", "all", *OUTCOMES],
            [
                (source, _shares(parts, most), parts.total(), *map(parts.__getitem__, OUTCOMES))
                for source, parts in totals.items()
            ],
        ),
        "courses": [
            _course(source, parts, by_step[source])
            for source, parts in totals.items()
            if source in by_step and sum(any(at.values()) for at in by_step[source]) >= FEWEST_STEPS
        ],
        "numbers": Table(
            f"Events per source and {step}",
            ["source", "landed", *OUTCOMES],
            [(source, label(step, at), *(events[source, at, name] for name in OUTCOMES)) for source, at in moments],
        ),
    }


def _shares(parts: dict[str, int], most: int) -> Shares:
    words = ", ".join(f"{number(parts[name])} {KEY[name]}" for name in OUTCOMES)
    return Shares({name: 100 * parts[name] / most for name in OUTCOMES if parts[name]}, words)


def _course(source: str, total: Counter[str], steps: list[dict[str, int]]) -> dict[str, Any]:
    """Return the events of a source over time: of each step the percent of the largest step, by outcome."""
    most = max(sum(parts.values()) for parts in steps)
    shares = [_shares(parts, most).shares for parts in steps]
    words = _shares(total, most).words
    return {"source": source, "events": total.total(), "most": most, "steps": shares, "words": words}


def _quarantine(counts: list[QuarantineCount], schema: str) -> list[Table]:
    totals = _totals((row.reason_code, row.events) for row in counts)
    reasons = {row.reason_code: row for row in reversed(counts)}
    columns = ["reason", "events", "what it means", "what to do", "one of them (topic / partition / offset)"]
    rows = [
        (reason, events, reasons[reason].meaning, reasons[reason].remedy, reasons[reason].place)
        for reason, events in totals
    ]
    per_source = ["reason", "source", "events", "first landed", "last landed", "query"]
    rows_per_source = [
        (one.reason_code, one.source_name, one.events, one.first_landed_at, one.last_landed_at, _query_of(one, schema))
        for one in counts
    ]
    return [Table("Reasons", columns, rows), Table("Quarantine per reason and source", per_source, rows_per_source)]


def _query_of(row: QuarantineCount, schema: str) -> Code:
    """Return the command that shows the messages, as a shell takes it."""
    return _command(
        f"select * except (value), cast(unbase64(value) as string) as value from {_place(schema)}.quarantine "
        f"where source_name = {literal(row.source_name)} and reason_code = {literal(row.reason_code)} limit 10"
    )


def _command(query: str) -> Code:
    quoted = re.sub(r'([\\$`"])', r"\\\1", query)
    return Code(f'.venv/bin/watershed sql "{quoted}"')


def _place(schema: str) -> str:
    return schema if re.fullmatch(r"\w+", schema) else quote(schema)


def _anomalies(part: Sequence[AnomalyCount], model: str, schema: str) -> list[Table]:
    totals = _totals(((row.kind, row.source_name), row.found) for row in part)
    kinds = {row.kind: (row.meaning, row.remedy or (row.meaning and "Nothing.")) for row in part}
    title = REPORTS[model][0]
    rows = [(kind, source, found, *kinds[kind]) for (kind, source), found in totals]
    per_table = [
        (row.kind, row.source_name, row.place or None, row.found, _command_for(row, model, schema)) for row in part
    ]
    return [
        Table(title, ["kind", "source", "found", "what it means", "what to do"], rows),
        Table(f"{title} per table", ["kind", "source", "table or stream", "found", "query"], per_table),
    ]


def _command_for(row: AnomalyCount, model: str, schema: str) -> Code:
    """Return the command that shows the rows of a kind of one source."""
    condition = f"anomaly = '{row.kind}'"
    if model == "schema_drift":
        condition = f"change_kind = '{row.kind}'"
    elif model == "databus_windows":
        condition = row.kind if row.kind.startswith("is_") else f"window_state = '{row.kind}'"
    place = f"{_place(schema)}.{model}"
    return _command(f"select * from {place} where source_name = {literal(row.source_name)} and {condition} limit 10")


def _totals(pairs: Iterable[tuple[Name, int]]) -> list[tuple[Name, int]]:
    totals: Counter[Name] = Counter()
    for name, found in pairs:
        totals[name] += found
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))


def _results(results: BuildResults, asked_at: dt.datetime) -> dict[str, Any]:
    rows = [
        (node.name, Badge(node.status, "doubtful" if node.status == "warn" else "bad"), node.found, node.rule)
        for node in [*results.failed, *results.warned]
    ]
    return {
        "results": results,
        "age": duration(max(0, int((asked_at - results.ended_at).total_seconds()))),
        "nodes": Table("Tests and models that failed or warned", ["name", "state", "rows", "rule or message"], rows),
    }


def _tables(sizes: list[TableSize]) -> dict[str, Any]:
    rows = [(row.name, row.rows, row.files, size(row.bytes or 0), row.bytes, row.changed_at) for row in sizes]
    return {
        "count": counted(len(sizes), "table"),
        "size": size(sum(row.bytes or 0 for row in sizes)),
        "rows": Table("Tables", ["table", "rows", "files", "size", "bytes", "changed"], rows),
    }


def _shown(value: object) -> object:
    """Return how a value is written; the template escapes it afterwards."""
    if value is None:
        return "-"
    if isinstance(value, dt.datetime):
        return moment(value)
    if isinstance(value, int):
        return number(value)
    return value if isinstance(value, (Markup, float)) else visible(str(value))


def _breakable(value: object) -> Markup:
    """Return text of which long names may break after an underscore, on paper."""
    return escape(_shown(value)).replace("_", Markup("_<wbr>"))


_ENVIRONMENT = Environment(
    loader=PackageLoader("watershed.report", "."),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {"breakable": _breakable}
_ENVIRONMENT.tests |= {"missing": lambda part: isinstance(part, Missing)}
_ENVIRONMENT.globals |= {"KEY": KEY, "MOST_FINDINGS": MOST_FINDINGS, "MOST_ROWS": MOST_ROWS, "OUTCOMES": OUTCOMES}
