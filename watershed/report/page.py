"""The page of the health report: words, plots and tables of the gathered parts."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from watershed.health.anomalies import MODELS, kind_of, query_of
from watershed.health.build_results import BuildResults, NoResults
from watershed.health.questions import AnomalyCount, Build, Progress, QuarantineCount
from watershed.health.verdict import Missing, named
from watershed.report.charts import stacked_columns, stacked_rows
from watershed.report.data import OUTCOMES, Health, Outcomes, TableSize
from watershed.report.elements import (
    Badge,
    Code,
    Value,
    card,
    data_table,
    details,
    findings_list,
    heading,
    paragraph,
    section,
    tiles,
    unread,
    verdict_line,
)
from watershed.report.findings import BADGES, headlines, section_of, silence, state_of
from watershed.report.steps import label, steps_between
from watershed.server.client import quote
from watershed.tables import counted
from watershed.texts import duration, escaped, moment, number, size

Part = TypeVar("Part")
Name = TypeVar("Name", str, tuple[str, str])
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


def render(health: Health) -> str:
    """Return the page: one HTML text without scripts, which asks for nothing from outside."""
    title = f"Watershed: health of schema {health.facts.schema}"
    links = "".join(f'<li><a href="#{name}">{escaped(text)}</a></li>' for name, text in _SECTIONS.items())
    content = {
        "attention": _attention(health),
        "sources": _read(health.facts.progress, lambda progress: _sources(progress, health)),
        "outcomes": _read(health.outcomes, _outcomes),
        "quarantine": _read(health.quarantine, lambda counts: _quarantine(counts, health.facts.schema)),
        "anomalies": "".join(
            _anomalies(name, part, health.facts.schema) for name, part in health.facts.anomalies.items()
        ),
        "tests": _tests(health.facts.results, health.facts.asked_at),
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
{verdict_line(Badge(health.verdict.sentence, BADGES[health.verdict.level]))}
<p>As of <time>{moment(health.facts.asked_at)}</time>. All times are UTC.</p>
</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="main" tabindex="-1">
{"".join(section(name, text, content[name]) for name, text in _SECTIONS.items())}</main>
</body>
</html>
"""


def _read(part: Part | Missing, show: Callable[[Part], str]) -> str:
    return unread(part) if isinstance(part, Missing) else show(part)


def _attention(health: Health) -> str:
    verdict = health.verdict
    found = [
        (section_of(one.kind), Badge(one.level.label, BADGES[one.level]), one.text, one.remedy)
        for one in verdict.findings
    ]
    notes = [f"Not known: {text}" for text in verdict.unknown]
    if health.other_sources:
        many = counted(len(health.other_sources), "source")
        notes.append(f"{many} left out, because no line of the seed configures them: {named(health.other_sources)}.")
    return (
        (findings_list(found) if found else paragraph("Nothing needs attention."))
        + tiles(headlines(health))
        + "".join(map(paragraph, notes))
    )


def _sources(progress: Sequence[Progress], health: Health) -> str:
    if not progress:
        return paragraph("No source is configured.")
    return paragraph(
        "Lag is the time since the moment up to which every partition of the source has sent a change or a heartbeat. "
        "Unread messages have landed since the last build, or wait for a replay. A source that sends only heartbeats "
        f"is idle; a source from which nothing has landed is silent {silence(health.limits.silent_after_minutes)}."
    ) + data_table(
        "Sources",
        ["source", "state", "lag", "messages", "unread", "complete up to", "last landed", "format"],
        [
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
    return _command(
        f"select * except (value), cast(unbase64(value) as string) as value from {_place(schema)}.quarantine "
        f"where source_name = '{_literal(row.source_name)}' and reason_code = '{_literal(row.reason_code)}' limit 10"
    )


def _command(query: str) -> str:
    quoted = re.sub(r'([\\$`"])', r"\\\1", query)
    return f'.venv/bin/watershed sql "{quoted}"'


def _place(schema: str) -> str:
    return schema if re.fullmatch(r"\w+", schema) else quote(schema)


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _tests(results: BuildResults | NoResults, asked_at: dt.datetime) -> str:
    if isinstance(results, NoResults):
        return paragraph(f"Not known. {results.reason}")
    age = duration(max(0, int((asked_at - results.ended_at).total_seconds())))
    words = (
        f"{number(results.passed_tests)} passed, {number(len(results.warned))} warned, {number(len(results.failed))} "
        f"failed in dbt {results.command} at {moment(results.ended_at)}, {age} ago"
    )
    if not results.nodes:
        return paragraph(f"{words}.")
    return paragraph(f"{words}. A warning does not stop a build.") + data_table(
        "Tests and models that failed or warned",
        ["name", "state", "rows", "rule or message"],
        [
            (node.name, Badge(node.status, "doubtful" if node.status == "warn" else "bad"), node.found, node.rule)
            for node in [*results.failed, *results.warned]
        ],
    )


def _builds(builds: list[Build]) -> str:
    if not builds:
        return paragraph("No build has read messages.")
    return paragraph("The newest 50; a build that finds nothing new is not listed.") + data_table(
        "Builds", ["built at", "events", "sources", "quarantined"], builds
    )


def _anomalies(model: str, part: Sequence[AnomalyCount] | Missing, schema: str) -> str:
    start = heading(MODELS[model].title) + paragraph(f"{MODELS[model].meaning} Model {model}.")
    if isinstance(part, Missing):
        return start + unread(part)
    if not part:
        return start + paragraph("None.")
    totals = _totals(((row.kind, row.source_name), row.found) for row in part)
    return (
        start
        + data_table(
            MODELS[model].title,
            ["kind", "source", "found", "what it means", "what to do"],
            [
                (kind, source, found, kind_of(model, kind).meaning, kind_of(model, kind).remedy or "Nothing.")
                for (kind, source), found in totals
            ],
        )
        + details(
            "Per table, with the query that shows the rows",
            data_table(
                f"{MODELS[model].title} per kind, source and place",
                ["kind", "source", "table or stream", "found", "query"],
                [
                    (
                        row.kind,
                        row.source_name,
                        row.place or None,
                        row.found,
                        Code(_command(query_of(model, row.kind, _literal(row.source_name), _place(schema)))),
                    )
                    for row in part
                ],
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


def _totals(pairs: Iterable[tuple[Name, int]]) -> list[tuple[Name, int]]:
    totals: Counter[Name] = Counter()
    for name, found in pairs:
        totals[name] += found
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))
