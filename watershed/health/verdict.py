"""One verdict from gathered facts, for `watershed status`, its exit code, its JSON and the health report.

Nothing is queried here: the same facts always give the same verdict. docs/monitoring.md has the table of findings.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from watershed.health.build_results import BuildResults, NodeResult, NoResults
from watershed.health.left_out import LeftOut
from watershed.health.questions import AnomalyCount, Lag, Progress, RecentQuarantine
from watershed.tables import counted
from watershed.texts import duration, number

MOST_NAMES = 5
_BUILD = ".venv/bin/dbt build"


class Level(IntEnum):
    """How serious a finding is; the verdict is the worst of them, and its value the exit code of `status`."""

    FINE = 0
    WARNINGS = 1
    BROKEN = 2

    @property
    def word(self) -> str:
        """The word for it in JSON and in the first line of `status`."""
        return self.name.lower()

    @property
    def label(self) -> str:
        """The word for one finding of this level."""
        return ("fine", "warning", "broken")[self]


class Finding(NamedTuple):
    """A problem: its kind is stable, its text is for people, its remedy states the next step."""

    level: Level
    kind: str
    text: str
    remedy: str
    sources: tuple[str, ...] = ()
    affected: int | None = None


class Limits(NamedTuple):
    """Thresholds of findings, from variables of dbt_project.yml; these are their defaults."""

    silent_after_minutes: int = 60
    lag_limit_minutes: int = 0
    build_age_limit_hours: int = 24
    quarantine_days: int = 7
    quarantine_severity: str = "warn"
    quarantine_percent_limit: float = 5.0
    quarantine_least_messages: int = 100


@dataclass(frozen=True)
class Missing:
    """Unknown facts, with the reason.

    Args:
        reason: A sentence.
        is_failure: Whether reading them failed; otherwise they were not requested.
    """

    reason: str
    is_failure: bool = True


@dataclass(frozen=True)
class Facts:
    """Everything that the verdict depends on.

    Args:
        asked_at: The time of the facts (UTC, without a zone).
        schema: The schema of the published models.
        no_server: Why no server could be queried; None if one answered.
        is_server_stuck: Whether a server holds the home and does not answer.
        is_built: Whether the schema has been built; None if that is not known.
        last_built_at: When a build last processed messages or wrote its results.
        results: Results of the last build of this project.
        problems: Errors of the configuration, one text each.
        lags: Columns and tables that typed snapshots lack.
        left_out: Typed snapshots that are older than the current rows.
        progress: A row per configured source.
        recent: Messages that landed in the last `quarantine_days`.
        anomalies: Counts per report model, by its name.
    """

    asked_at: dt.datetime
    schema: str
    progress: Sequence[Progress] | Missing
    recent: Sequence[RecentQuarantine] | Missing
    anomalies: Mapping[str, Sequence[AnomalyCount] | Missing]
    results: BuildResults | NoResults
    no_server: str | None = None
    is_server_stuck: bool = False
    is_built: bool | None = True
    last_built_at: dt.datetime | None = None
    problems: Sequence[str] = ()
    lags: Sequence[Lag] | Missing = ()
    left_out: Sequence[LeftOut] | Missing = ()


@dataclass(frozen=True)
class Verdict:
    """The worst level of all findings, the findings sorted worst first, and unknown facts."""

    level: Level
    findings: list[Finding]
    unknown: list[str] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        broken = sum(finding.level is Level.BROKEN for finding in self.findings)
        warnings = len(self.findings) - broken
        if self.level is Level.FINE:
            return "Fine: nothing needs attention."
        parts = [counted(count, noun) for count, noun in ((broken, "problem"), (warnings, "warning")) if count]
        return f"{self.level.word.capitalize()}: {' and '.join(parts)}."


def judge(facts: Facts, limits: Limits) -> Verdict:
    """Return the verdict on some facts; all commands with a verdict use this function."""
    findings = [
        *_of_server(facts),
        *_of_build(facts, limits),
        *_of_configuration(facts),
        *_of_progress(facts, limits),
        *_of_quarantine(facts, limits),
        *_of_anomalies(facts),
        *_of_snapshots(facts),
        *_of_left_out(facts),
        *_of_unreadable(facts),
    ]
    findings.sort(key=lambda finding: -finding.level)  # stable: keeps the order above within a level
    worst = max((finding.level for finding in findings), default=Level.FINE)
    return Verdict(worst, findings, list(_unknown(facts)))


def named(names: Iterable[str]) -> str:
    """Return some names and the number of the others."""
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - MOST_NAMES
    return ", ".join(distinct[:MOST_NAMES]) + (f" and {number(more)} more" if more > 0 else "")


def _of_server(facts: Facts) -> Iterator[Finding]:
    if facts.no_server is None:
        return
    if facts.is_server_stuck:
        text = f"The server of this home does not answer: {facts.no_server}"
        remedy = "Wait until it has started, or restart it: .venv/bin/watershed stop, then make serve."
        yield Finding(Level.BROKEN, "server_stuck", text, remedy)
    else:
        remedy = "Start one: make serve; or run once with .venv/bin/watershed with-server .venv/bin/watershed status."
        yield Finding(Level.WARNINGS, "no_server", facts.no_server, remedy)


def _of_build(facts: Facts, limits: Limits) -> Iterator[Finding]:
    results = facts.results
    if isinstance(results, BuildResults):
        if results.failed:
            text = (
                f"{counted(len(results.failed), 'model or test')} failed in the last build: {_nodes(results.failed)}."
            )
            remedy = f"Read logs/dbt.log (of make build: target/dbt.log), correct the cause, then {_BUILD}."
            yield Finding(Level.BROKEN, "failed_nodes", text, remedy, affected=len(results.failed))
        if results.warned:
            text = f"{counted(len(results.warned), 'test')} warned in the last build: {_nodes(results.warned)}."
            remedy = "Read what they found: .venv/bin/watershed findings; make report lists the rules."
            yield Finding(Level.WARNINGS, "warned_tests", text, remedy, affected=len(results.warned))
    elif results.overwritten_by is not None:
        text = f"The results of the last build are not available: `dbt {results.overwritten_by}` has overwritten them."
        yield Finding(Level.WARNINGS, "results_overwritten", text, f"Run {_BUILD}; make docs keeps the results.")
    if facts.is_built is False:
        text = f"Nothing has been built in schema {facts.schema}."
        yield Finding(Level.WARNINGS, "never_built", text, f"Run {_BUILD}, or set WATERSHED_SCHEMA.")
    elif facts.last_built_at is not None:
        age = facts.asked_at - facts.last_built_at
        if age > dt.timedelta(hours=limits.build_age_limit_hours):
            text = f"The last build is {duration(int(age.total_seconds()))} old."
            remedy = f"Run {_BUILD}, and check the scheduler (limit: build_age_limit_hours)."
            yield Finding(Level.WARNINGS, "old_build", text, remedy)


def _of_configuration(facts: Facts) -> Iterator[Finding]:
    for problem in facts.problems:
        text, _, remedy = problem.partition("\n")
        yield Finding(Level.WARNINGS, "configuration", text, remedy.strip() or "Correct that line.")
    if not isinstance(facts.progress, Missing) and not facts.progress:
        remedy = "Add a line to seeds/cdc_sources.csv."
        yield Finding(Level.WARNINGS, "no_sources", "No source is configured.", remedy)


def _of_progress(facts: Facts, limits: Limits) -> Iterator[Finding]:
    progress = [] if isinstance(facts.progress, Missing) else facts.progress
    lost = [row for row in progress if row.unread is not None and row.unread < 0]
    if lost:
        missing = -sum(row.unread or 0 for row in lost)
        text = f"{counted(missing, 'message')} of {_sources(lost)} are in events and not in landing."
        remedy = "Check that WATERSHED_HOME and WATERSHED_SCHEMA belong together; restore landing from a backup."
        yield Finding(Level.BROKEN, "lost_messages", text, remedy, _names(lost), missing)
    waiting = [row for row in progress if row.unread is not None and row.unread > 0]
    if waiting:
        unread = sum(row.unread or 0 for row in waiting)
        text = f"{counted(unread, 'unread message')} of {_sources(waiting)}: landed since the last build."
        remedy = f"Run {_BUILD}, or {_BUILD} --selector increment_typed."
        yield Finding(Level.WARNINGS, "unread", text, remedy, _names(waiting), unread)
    silent = [row for row in progress if row.state == "silent"]
    if silent:
        last = max((row.last_landed_at for row in silent if row.last_landed_at), default=None)
        since = f" since {last:%Y-%m-%d %H:%M:%S} UTC" if last else ""
        text = f"{counted(len(silent), 'silent source')}: nothing has landed{since} ({_sources(silent)})."
        remedy = (
            f"Check the capture and the landing job (limit: {limits.silent_after_minutes} min, silent_after_minutes)."
        )
        yield Finding(Level.WARNINGS, "silent", text, remedy, _names(silent), len(silent))
    never = [row for row in progress if row.state == "never seen" and not row.landed]
    if never:
        text = f"{counted(len(never), 'source')} without any message ({_sources(never)})."
        remedy = "Land messages: .venv/bin/watershed land --source NAME PATH; or remove the line from the seed."
        yield Finding(Level.WARNINGS, "never_seen", text, remedy, _names(never), len(never))
    limit = limits.lag_limit_minutes
    late = [row for row in progress if limit and row.state in ("active", "idle") and _lag(row) > 60 * limit]
    if late:
        worst = max(map(_lag, late))
        text = f"{counted(len(late), 'source')} with a lag of up to {duration(worst)} ({_sources(late)})."
        remedy = "Find the partition whose newest change is the oldest: it determines the lag "
        remedy += f"(limit: {limit} min, lag_limit_minutes)."
        yield Finding(Level.WARNINGS, "lag", text, remedy, _names(late), len(late))


def _of_quarantine(facts: Facts, limits: Limits) -> Iterator[Finding]:
    recent = [] if isinstance(facts.recent, Missing) else facts.recent
    for row in recent:
        if (
            row.reason_code is None
            and row.messages >= limits.quarantine_least_messages
            and row.quarantined * 100 > row.messages * limits.quarantine_percent_limit
        ):
            percent = 100 * row.quarantined / row.messages
            text = (
                f"{percent:.1f} % of the messages of {row.source_name} are in quarantine: {number(row.quarantined)} of "
                f"{number(row.messages)} in {limits.quarantine_days} days."
            )
            remedy = (
                f"Correct the main reason (limit: {limits.quarantine_percent_limit:g} %, quarantine_percent_limit)."
            )
            yield Finding(Level.BROKEN, "quarantine_limit", text, remedy, (row.source_name,), row.quarantined)
    level = Level.BROKEN if limits.quarantine_severity == "error" else Level.WARNINGS
    reasons: dict[str, list[RecentQuarantine]] = {}
    for row in recent:
        if row.reason_code is not None and row.quarantined:
            reasons.setdefault(row.reason_code, []).append(row)
    for reason, rows in sorted(reasons.items(), key=lambda item: -sum(row.quarantined for row in item[1])):
        messages = sum(row.quarantined for row in rows)
        names = tuple(row.source_name for row in rows)
        when = f"in {limits.quarantine_days} days"
        text = f"{counted(messages, 'message')} in quarantine as {reason} {when} ({named(names)})."
        remedy = rows[0].remedy or "Correct the cause."
        if "replay" in remedy:
            remedy += f" The command: .venv/bin/dbt run-operation replay --args '{{reason_code: {reason}}}'"
        yield Finding(level, "quarantine", text, remedy, names, messages)


def _of_anomalies(facts: Facts) -> Iterator[Finding]:
    for model, counts in facts.anomalies.items():
        recent: dict[str, list[AnomalyCount]] = {}
        for row in [] if isinstance(counts, Missing) else counts:
            if row.recent and row.remedy:
                recent.setdefault(row.kind, []).append(row)
        for kind, rows in recent.items():
            found = sum(row.recent for row in rows)
            names = tuple(dict.fromkeys(row.source_name for row in rows))
            text = f"{number(found)} of kind {kind} in {model} ({named(names)}): {rows[0].meaning}"
            remedy = f"{rows[0].remedy} The rows are in {facts.schema}.{model}."
            yield Finding(Level.WARNINGS, model, text, remedy, names, found)


def _of_snapshots(facts: Facts) -> Iterator[Finding]:
    problems: dict[tuple[str, str, str], list[str]] = {}
    for lag in [] if isinstance(facts.lags, Missing) else facts.lags:
        problems.setdefault((lag.source_name, lag.place, lag.remedy), []).append(lag.problem)
    for (source, place, remedy), (problem, *others) in problems.items():
        more = f", and {counted(len(others), 'other column')}" if others else ""
        text = f"Typed snapshots lag: {source}, {place}: {problem}{more}."
        yield Finding(Level.WARNINGS, "snapshot_lag", text, remedy, (source,))


def _of_left_out(facts: Facts) -> Iterator[Finding]:
    older = [] if isinstance(facts.left_out, Missing) else facts.left_out
    if older:
        names = tuple(dict.fromkeys(one.source_name for one in older))
        text = f"{counted(len(older), 'typed snapshot')} older than current_rows ({named(one.name for one in older)})."
        remedy = "Build them: .venv/bin/dbt build --selector increment_typed."
        yield Finding(Level.WARNINGS, "snapshot_left_out", text, remedy, names, len(older))


def _of_unreadable(facts: Facts) -> Iterator[Finding]:
    for name, part in _parts(facts):
        if part.is_failure and facts.no_server is None and facts.is_built is not False:
            text = f"{name} could not be read: {part.reason}"
            remedy = f"Run {_BUILD}: the models may be of an older version."
            yield Finding(Level.BROKEN, "unreadable", text, remedy)


def _unknown(facts: Facts) -> Iterator[str]:
    """Yield unknown facts that are not findings, a sentence each."""
    if isinstance(facts.results, NoResults):
        yield f"Tests of the last build: {facts.results.reason}"
    elif not facts.results.has_tests:
        yield f"Tests: the last build (dbt {facts.results.command}) ran none."
    missing = dict[str, list[str]]()
    for name, part in _parts(facts):
        missing.setdefault(part.reason, []).append(name)
    for reason, names in missing.items():
        listed = ", ".join(names)
        yield f"{listed[:1].upper()}{listed[1:]}: {reason}"


def _parts(facts: Facts) -> Iterator[tuple[str, Missing]]:
    named_parts = {
        "progress": facts.progress,
        "recent quarantine": facts.recent,
        "typed snapshots": facts.lags,
        "age of typed snapshots": facts.left_out,
        **facts.anomalies,
    }
    yield from ((name, part) for name, part in named_parts.items() if isinstance(part, Missing))


def _nodes(nodes: Sequence[NodeResult]) -> str:
    return named(node.name for node in nodes)


def _sources(rows: Iterable[Progress]) -> str:
    return named(row.source_name for row in rows)


def _names(rows: Iterable[Progress]) -> tuple[str, ...]:
    return tuple(row.source_name for row in rows)


def _lag(row: Progress) -> int:
    return row.lag_seconds or 0
