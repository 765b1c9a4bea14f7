"""The page of the health report: words, plots and tables, of what the server said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from watershed.client import quote
from watershed.report.charts import stacked_columns, stacked_rows
from watershed.report.data import (
    OUTCOMES,
    AnomalyCount,
    Build,
    Health,
    Outcomes,
    Progress,
    QuarantineCount,
    TableSize,
    Unread,
)
from watershed.report.elements import (
    Badge,
    Code,
    Value,
    card,
    data_table,
    details,
    heading,
    paragraph,
    section,
    tiles,
    unread,
)
from watershed.report.findings import findings, headlines, silence
from watershed.report.steps import label, steps_between
from watershed.report.tests import DataTests
from watershed.report.texts import duration, escaped, moment, number, size
from watershed.tables import counted

Part = TypeVar("Part")
MOST_PLOTS = 60
_KEY = {
    "change": "changes",
    "control": "control events (heartbeats, DDL, transaction marks)",
    "duplicate": "second deliveries",
    "quarantined": "quarantined",
}
_SECTIONS = {
    "attention": "Is it fine?",
    "sources": "How far each source is",
    "outcomes": "What became of the messages",
    "quarantine": "Quarantine by reason",
    "anomalies": "Anomalies",
    "tests": "Data tests of the last build",
    "builds": "Builds that read messages",
    "tables": "Size of the tables",
}
# Report models and what their kinds mean; the models' own descriptions say it in full.
_ANOMALIES: dict[str, tuple[str, str, dict[str, str]]] = {
    "ordering_anomalies": (
        "Order of changes",
        "Where the order of changes is doubtful.",
        {
            "tie": "Nothing but its position tells a change from the one before it in its row.",
            "time_regression": "Its time lies before that of the change that its order puts before it.",
            "sequence_regression": "It came late: its sequence is lower than that of the change before it.",
            "sequence_gap": "Numbers before it are missing in the source.",
            "no_serial_in_second": "It has no serial, in a second of its table that has some; its place is a guess.",
            "other_key_columns": "Its key has other columns than that of the newest change of its table.",
        },
    ),
    "image_anomalies": (
        "Row images",
        "Where a change does not fit the row that earlier changes made, so that a message was lost or altered.",
        {
            "chain_break": "The image from before the change is not the row as it was.",
            "insert_on_live_key": "An insert of a row that was there.",
            "update_of_absent_key": "An update of a row that was gone.",
            "delete_of_absent_key": "A delete of a row that was gone.",
        },
    ),
    "databus_windows": (
        "Databus windows",
        "Windows of Databus streams with something wrong.",
        {
            "missing_end_of_period": "A later window began without the end of this one.",
            "regressed": "It begins behind a later window: the stream went back.",
            "overlapping": "Its events interleave with those of another window.",
            "gap_before": "A checkpoint names a window before it that is not in the stream.",
        },
    ),
    "schema_drift": (
        "Changes of columns",
        "Columns that came, went or got another type. Run watershed snapshots to have typed snapshots follow.",
        {
            "new_column": "A column that was not there before.",
            "widened": "The new type takes every value of the old one.",
            "narrowed": "The new type does not take every value of the old one.",
            "conflicting": "Neither type takes every value of the other.",
            "removed": "The column is gone.",
        },
    ),
}


def render(health: Health) -> str:
    """Return the page: one HTML text without scripts, which asks for nothing from outside."""
    title = f"Watershed: health of schema {health.schema}"
    links = "".join(f'<li><a href="#{name}">{escaped(text)}</a></li>' for name, text in _SECTIONS.items())
    content = {
        "attention": _attention(health),
        "sources": _read(health.progress, lambda progress: _sources(progress, health.silent_after)),
        "outcomes": _read(health.outcomes, _outcomes),
        "quarantine": _read(health.quarantine, lambda counts: _quarantine(counts, health.schema)),
        "anomalies": "".join(_anomalies(name, getattr(health, name)) for name in _ANOMALIES),
        "tests": _tests(health.tests),
        "builds": _read(health.builds, _builds),
        "tables": _read(health.tables, _tables),
    }
    style = Path(__file__).with_name("page.css").read_text("utf-8")
    # The policy has the browser hold what is promised, should a name ever get past the escaping.
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{escaped(title)}</title>
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
<pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6"/><path d="M0 0V6"/></pattern></defs></svg>
<header>
<h1>{escaped(title)}</h1>
<p>As of <time>{moment(health.asked_at)}</time>. All times are UTC.</p>
</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="main" tabindex="-1">
{"".join(section(name, text, content[name]) for name, text in _SECTIONS.items())}</main>
</body>
</html>
"""


def _read(part: Part | Unread, show: Callable[[Part], str]) -> str:
    return unread(part) if isinstance(part, Unread) else show(part)


def _attention(health: Health) -> str:
    found = findings(health)
    said = "".join(f'<li><a href="#{name}">{escaped(text)}</a></li>' for name, text in found)
    return tiles(headlines(health)) + (f"<ul>{said}</ul>" if said else paragraph("Nothing stands out."))


_STATES = {"active": "good", "idle": "good", "silent": "bad", "never seen": "doubtful"}


def _sources(progress: list[Progress], silent_after: int | None) -> str:
    if not progress:
        return paragraph("No source is configured.")
    return paragraph(
        "Lag is the time since the moment up to which every partition of the source has told a change or a heartbeat. "
        "Unread messages have landed since the last build, or wait for a replay. A source that tells only heartbeats "
        f"is idle; one of which nothing has landed for long is silent {silence(silent_after)}."
    ) + data_table(
        "Sources",
        ["source", "state", "lag", "messages", "unread", "complete up to", "last landed", "format"],
        [
            (
                row.source_name,
                Badge(row.state, _STATES.get(row.state, "")),
                None if row.lag_seconds is None else duration(row.lag_seconds),
                row.landed,
                row.unread,
                row.complete_up_to,
                row.last_landed_at,
                row.format,
            )
            for row in progress
        ],
    )


def _outcomes(outcomes: Outcomes) -> str:
    counts = outcomes.counts
    if not counts:
        return paragraph("No message has been read.")
    first, last = min(row.landed_at for row in counts), max(row.landed_at for row in counts)
    steps = steps_between(outcomes.step, first, last)
    events = Counter({(row.source_name, row.landed_at, row.outcome): row.events for row in counts})
    totals = {source: Counter[str]() for source in sorted({row.source_name for row in counts})}
    for row in counts:
        totals[row.source_name][row.outcome] += row.events
    shown = dict(sorted(totals.items(), key=lambda item: -item[1].total())[:MOST_PLOTS])
    words = "; ".join(f"{name}: {_in_words(parts)}" for name, parts in shown.items())
    ordered = {name: {outcome: parts[outcome] for outcome in OUTCOMES} for name, parts in shown.items()}
    plots = [f"<figure>{stacked_rows('Events of each source', words, ordered)}</figure>"]
    for source in shown if first < last else ():  # one moment has no course of time
        series = {name: [events[source, at, name] for at in steps] for name in OUTCOMES}
        labels = [label(outcomes.step, at) for at in steps]
        title = f"Events of {source} per {outcomes.step}"
        plot = stacked_columns(title, f"In all: {_in_words(totals[source])}.", labels, series)
        plots.append(card(source, plot, counted(totals[source].total(), "event")))
    key = "".join(
        f'<li><svg viewBox="0 0 14 14" aria-hidden="true"><rect class="{name}" width="14" height="14"/></svg>'
        f"{escaped(text)}</li>"
        for name, text in _KEY.items()
    )
    rows: list[tuple[Value, ...]] = [
        (source, label(outcomes.step, at), *(events[source, at, name] for name in OUTCOMES))
        for source, at in dict.fromkeys((row.source_name, row.landed_at) for row in counts)
    ]
    course = (
        f" Below, by the {outcomes.step} in which they landed; each of these plots has a scale of its own."
        if first < last
        else f" All landed on {label(outcomes.step, last)}."
    )
    return (
        paragraph(f"Events by outcome, all sources on one scale.{course}")
        + f'<ul class="key">{key}</ul><div class="plots">{"".join(plots)}</div>'
        + (paragraph(f"{number(len(totals) - len(shown))} more stand in the table only.") if totals != shown else "")
        + details(
            "The numbers", data_table(f"Events per source and {outcomes.step}", ["source", "landed", *OUTCOMES], rows)
        )
    )


def _in_words(parts: Counter[str]) -> str:
    return ", ".join(f"{number(parts[name])} {_KEY[name]}" for name in OUTCOMES)


def _quarantine(counts: list[QuarantineCount], schema: str) -> str:
    if not counts:
        return paragraph("Nothing is in quarantine.")
    totals = _totals((row.reason_code, row.events) for row in counts)
    reasons = {row.reason_code: row for row in reversed(counts)}
    return data_table(
        "Reasons",
        ["reason", "events", "what it means", "what to do", "one of them (topic / partition / offset)"],
        [
            (reason, events, reasons[reason].meaning, reasons[reason].remedy, reasons[reason].place)
            for reason, events in totals
        ],
    ) + details(
        "Per source, with the query that shows the messages",
        data_table(
            "Quarantine per reason and source",
            ["reason", "source", "events", "first landed", "last landed", "query"],
            [
                (
                    row.reason_code,
                    row.source_name,
                    row.events,
                    row.first_landed_at,
                    row.last_landed_at,
                    Code(_query_of(row, schema)),
                )
                for row in counts
            ],
        ),
    )


def _query_of(row: QuarantineCount, schema: str) -> str:
    """Return the command that shows the messages, as a shell takes it."""
    source, reason = (text.replace("\\", "\\\\").replace("'", "\\'") for text in (row.source_name, row.reason_code))
    place = schema if re.fullmatch(r"\w+", schema) else quote(schema)
    query = (
        f"select * except (value), cast(unbase64(value) as string) as value from {place}.quarantine "
        f"where source_name = '{source}' and reason_code = '{reason}' limit 10"
    )
    quoted = re.sub(r'([\\$`"])', r"\\\1", query)
    return f'.venv/bin/watershed sql "{quoted}"'


def _tests(tests: DataTests | None) -> str:
    if tests is None:
        return paragraph("target/ holds no results: dbt build was not run here, or without tests.")
    words = (
        f"{number(tests.passed)} passed, {number(tests.count('warn'))} warned, "
        f"{number(tests.count('fail', 'error'))} failed at {moment(tests.ended_at)}"
    )
    if not tests.told:
        return paragraph(f"{words}.")
    return paragraph(f"{words}. A warning stops nothing.") + data_table(
        "Tests that failed or warned",
        ["test", "state", "rows", "rule"],
        [
            (test.name, Badge(test.status, "doubtful" if test.status == "warn" else "bad"), test.found, test.rule)
            for test in tests.told
        ],
    )


def _builds(builds: list[Build]) -> str:
    if not builds:
        return paragraph("No build has read messages.")
    return paragraph("The newest 50; a build that finds nothing new leaves no trace here.") + data_table(
        "Builds", ["built at", "events", "sources", "quarantined"], builds
    )


def _anomalies(name: str, part: list[AnomalyCount] | Unread) -> str:
    title, meaning, kinds = _ANOMALIES[name]
    start = heading(title) + paragraph(f"{meaning} Model {name}.")
    if isinstance(part, Unread):
        return start + unread(part)
    if not part:
        return start + paragraph("None.")
    totals = _totals((row.kind, row.found) for row in part)
    return (
        start
        + data_table(title, ["kind", "found", "what it means"], [(*row, kinds.get(row[0])) for row in totals])
        + details(
            "Where",
            data_table(
                f"{title} per kind, source and place",
                ["kind", "source", "table or stream", "found"],
                [(row.kind, row.source_name, row.place or None, row.found) for row in part],
            ),
        )
    )


def _tables(sizes: list[TableSize]) -> str:
    if not sizes:
        return paragraph("There are no tables.")
    return paragraph(
        f"{counted(len(sizes), 'table')} of {size(sum(row.bytes or 0 for row in sizes))}; views store nothing. Older "
        "versions that Delta still keeps are not counted."
    ) + data_table(
        "Tables",
        ["table", "rows", "files", "size", "bytes", "changed"],
        [(row.name, row.rows, row.files, size(row.bytes or 0), row.bytes, row.changed_at) for row in sizes],
    )


def _totals(pairs: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    totals: Counter[str] = Counter()
    for name, found in pairs:
        totals[name] += found
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))
