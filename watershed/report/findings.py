"""What a person should look at first: one sentence per matter, and the section that shows it."""

from __future__ import annotations

from collections.abc import Iterable

from watershed.report.data import AnomalyCount, Health, Unread
from watershed.report.texts import number
from watershed.tables import counted

MOST_NAMES = 5
_DOUBTFUL_DRIFT = ("narrowed", "conflicting", "removed")


def findings(health: Health) -> list[tuple[str, str]]:
    """Return the section and the sentence of each matter, the most pressing first."""
    found: list[tuple[str, str]] = []
    unread = [name for name, part in vars(health).items() if isinstance(part, Unread)]
    if unread:
        found.append(("main", f"Not all could be read: {', '.join(unread)}."))
    progress = [] if isinstance(health.progress, Unread) else health.progress
    for state, words in (("silent", "silent: nothing has landed for long"), ("never seen", "never seen")):
        names = [row.source_name for row in progress if row.state == state]
        if names:
            found.append(("sources", f"{counted(len(names), 'source')} {words} ({_listed(names)})."))
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


def _anomalies(what: str, part: list[AnomalyCount] | Unread) -> Iterable[tuple[str, str]]:
    if part and not isinstance(part, Unread):
        count = sum(row.found for row in part)
        yield "anomalies", f"{number(count)} anomal{'y' if count == 1 else 'ies'} {what}."


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {number(more)} more" if more > 0 else "")
