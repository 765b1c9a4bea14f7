"""The first section of the report: the findings of the verdict with their sections, and the tiles."""

from __future__ import annotations

from typing import NamedTuple

from watershed.health.build_results import BuildResults, NoResults
from watershed.health.questions import ANOMALIES, Progress
from watershed.health.verdict import Level, Missing
from watershed.report.data import Health
from watershed.texts import duration, moment, number


class Badge(NamedTuple):
    """A state: the word for it, and the class of its colour (good, doubtful, bad; empty for none)."""

    word: str
    kind: str


BADGES = {Level.FINE: "good", Level.WARNINGS: "doubtful", Level.BROKEN: "bad"}
_SECTIONS = {
    "failed_nodes": "tests",
    "warned_tests": "tests",
    "results_overwritten": "tests",
    "old_build": "builds",
    "quarantine": "quarantine",
    "quarantine_limit": "quarantine",
    **dict.fromkeys(ANOMALIES, "anomalies"),
}
LONG_LAG_SECONDS = 86400
"""A source with a larger lag is never shown in green."""


class Headline(NamedTuple):
    """A tile: the section that it leads to, a label, a value and its judgement."""

    section: str
    label: str
    value: str
    badge: Badge


def section_of(kind: str) -> str:
    """Return the section of the page that shows what a finding is about."""
    return _SECTIONS.get(kind, "sources")


def state_of(row: Progress) -> Badge:
    """Return the state of a source; green only where its lag is short too."""
    is_late = row.lag_seconds is not None and row.lag_seconds > LONG_LAG_SECONDS
    kind = {"active": "good", "idle": "good", "silent": "bad", "never seen": "doubtful"}.get(row.state or "", "")
    return Badge(row.state or "not built yet", "" if is_late and kind == "good" else kind)


def headlines(health: Health) -> list[Headline]:
    """Return the tiles; all of them count messages of configured sources."""
    progress = [] if isinstance(health.facts.progress, Missing) else health.facts.progress
    quarantine = [] if isinstance(health.quarantine, Missing) else health.quarantine
    landed = sum(row.landed for row in progress)
    waiting = sum(row.unread or 0 for row in progress)
    bad = sum(row.messages for row in quarantine)
    late = max((row for row in progress if row.lag_seconds is not None), key=_lag, default=None)
    built_at = health.facts.last_built_at
    age = duration(int((health.facts.asked_at - built_at).total_seconds())) if built_at else ""
    return [
        Headline(
            "sources",
            "Messages landed",
            number(landed),
            Badge(f"{number(waiting)} unread", "doubtful") if waiting else Badge("none unread", "good"),
        ),
        Headline(
            "quarantine",
            "Messages in quarantine",
            number(bad),
            Badge(f"{100 * bad / max(landed, bad):.1f} % of all", "bad") if bad else Badge("none", "good"),
        ),
        Headline(
            "sources",
            "Largest lag",
            duration(_lag(late)) if late else "-",
            Badge(late.source_name, "") if late else Badge("no source", "doubtful"),
        ),
        Headline(
            "builds",
            "Last build",
            f"{age} ago" if built_at else "-",
            Badge(moment(built_at), "") if built_at else Badge("none", "bad"),
        ),
        Headline("tests", "Data tests", *_of_tests(health.facts.results)),
    ]


def _of_tests(results: BuildResults | NoResults) -> tuple[str, Badge]:
    if isinstance(results, NoResults) or not results.has_tests:
        return "-", Badge("not known", "")
    failed, warned = len(results.failed), len(results.warned)
    value = f"{number(results.passed_tests)} passed"
    if failed:
        return value, Badge(f"{number(failed)} failed, {number(warned)} warned", "bad")
    return value, Badge(f"{number(warned)} warned", "doubtful") if warned else Badge("none failed", "good")


def _lag(row: Progress) -> int:
    return row.lag_seconds or 0
