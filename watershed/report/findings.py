"""What a person should look at first: one sentence per matter, and the section that shows it."""

from __future__ import annotations

from collections.abc import Iterable

from watershed.report.data import AnomalyCount, Health, Progress, Unread
from watershed.report.elements import Badge
from watershed.report.tests import DataTests
from watershed.report.texts import duration, moment, number
from watershed.tables import counted

MOST_NAMES = 5
_DOUBTFUL_DRIFT = ("narrowed", "conflicting", "removed")


def findings(health: Health) -> list[tuple[str, str]]:
    """Return the section and the sentence of each matter, the most pressing first."""
    found: list[tuple[str, str]] = []
    unread = [name for name, part in vars(health).items() if isinstance(part, Unread)]
    if unread:
        found.append(("main", f"Not all could be read: {', '.join(unread)}."))
    if health.tests is not None and health.tests.told:
        failed, warned = health.tests.count("fail", "error"), health.tests.count("warn")
        told = [f"{counted(count, 'test')} {word}" for count, word in ((failed, "failed"), (warned, "warned")) if count]
        found.append(("tests", f"{' and '.join(told)} in the last build."))
    progress = [] if isinstance(health.progress, Unread) else health.progress
    silent = [row for row in progress if row.state == "silent"]
    if silent:
        last = max((row.last_landed_at for row in silent if row.last_landed_at), default=None)
        since = f" since {moment(last)}" if last else ""
        words = f"{counted(len(silent), 'source')} silent: nothing has landed{since} {silence(health.silent_after)}"
        found.append(("sources", f"{words} ({_listed([row.source_name for row in silent])})."))
    never = [row.source_name for row in progress if row.state == "never seen"]
    if never:
        found.append(("sources", f"{counted(len(never), 'source')} never seen ({_listed(never)})."))
    waiting = sum(row.unread for row in progress)
    if waiting > 0:
        found.append(("sources", f"{counted(waiting, 'message')} landed and not read yet: run dbt build."))
    if not isinstance(health.quarantine, Unread) and health.quarantine:
        events = sum(row.events for row in health.quarantine)
        names = list(dict.fromkeys(row.source_name for row in health.quarantine))
        found.append(("quarantine", f"{counted(events, 'event')} in quarantine ({_listed(names)})."))
    found += _anomalies("of the order of changes", health.ordering_anomalies)
    found += _anomalies("of row images", health.image_anomalies)
    found += _anomalies("of Databus windows", health.databus_windows)
    drift = [] if isinstance(health.schema_drift, Unread) else health.schema_drift
    found += _anomalies("of columns that narrowed or went", [row for row in drift if row.kind in _DOUBTFUL_DRIFT])
    return found


def silence(minutes: int | None) -> str:
    """Return after how long a source counts as silent, and which variable says so."""
    return "(limit: silent_after_minutes)" if minutes is None else f"(limit: {minutes} min, silent_after_minutes)"


def headlines(health: Health) -> list[tuple[str, str, str, Badge]]:
    """Return what tells at one look whether all is fine: section, label, value and judgement."""
    progress = [] if isinstance(health.progress, Unread) else health.progress
    outcomes = [] if isinstance(health.outcomes, Unread) else health.outcomes.counts
    builds = [] if isinstance(health.builds, Unread) else health.builds
    events = sum(row.events for row in outcomes)
    bad = sum(row.events for row in outcomes if row.outcome == "quarantined")
    waiting = sum(row.unread for row in progress)
    behind = max((row for row in progress if row.lag_seconds is not None), key=_lag, default=None)
    tests = health.tests
    return [
        (
            "sources",
            "Messages landed",
            number(sum(row.landed for row in progress)),
            Badge(f"{number(waiting)} unread", "doubtful") if waiting else Badge("all read", "good"),
        ),
        (
            "quarantine",
            "Events in quarantine",
            number(bad),
            Badge(f"{100 * bad / events:.1f} % of all" if bad else "none", "bad" if bad else "good"),
        ),
        (
            "sources",
            "Furthest behind",
            duration(_lag(behind)) if behind else "-",
            Badge(behind.source_name, "") if behind else Badge("no source", "doubtful"),
        ),
        (
            "builds",
            "Last build that read",
            duration(int((health.asked_at - builds[0].built_at).total_seconds())) + " ago" if builds else "-",
            Badge(moment(builds[0].built_at), "") if builds else Badge("none", "bad"),
        ),
        (
            "tests",
            "Data tests",
            "-" if tests is None else f"{number(tests.passed)} passed",
            Badge("not known", "") if tests is None else _judged(tests),
        ),
    ]


def _judged(tests: DataTests) -> Badge:
    failed, warned = tests.count("fail", "error"), tests.count("warn")
    if failed:
        return Badge(f"{number(failed)} failed, {number(warned)} warned", "bad")
    return Badge(f"{number(warned)} warned", "doubtful") if warned else Badge("none failed", "good")


def _lag(row: Progress) -> int:
    return row.lag_seconds or 0


def _anomalies(what: str, part: list[AnomalyCount] | Unread) -> Iterable[tuple[str, str]]:
    if part and not isinstance(part, Unread):
        count = sum(row.found for row in part)
        yield "anomalies", f"{number(count)} anomal{'y' if count == 1 else 'ies'} {what}."


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {number(more)} more" if more > 0 else "")
