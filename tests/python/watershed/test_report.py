"""`watershed report`: the page for given results of the server; vendors' names never become markup."""

from __future__ import annotations

import datetime as dt
import html
import html.parser
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from watershed.cli import main
from watershed.health.build_results import BuildResults, NodeResult, NoResults
from watershed.health.questions import AnomalyCount, Build, OutcomeCount, Progress, QuarantineCount
from watershed.health.verdict import Facts, Limits, Missing
from watershed.report import data, page
from watershed.report.data import Health, Outcomes, TableSize
from watershed.report.findings import headlines, state_of
from watershed.report.page import render
from watershed.report.steps import FEWEST, MOST, Step, label, step_for, steps_between
from watershed.server.client import quote
from watershed.tables import counted
from watershed.texts import duration, moment, size, visible

NOON = dt.datetime(2026, 3, 1, 12)
HOSTILE = "</table><script>alert(1)</script>\" onload='x' &amp; {{ x }} \u202e\x00"
SECTIONS = ["attention", "sources", "outcomes", "quarantine", "anomalies", "tests", "builds", "tables"]
VOID = {"meta", "link", "wbr"}


def health(name: str = "shop", **parts: object) -> Health:
    """A small health in which everything that a vendor can name has this name; facts are given by their own names."""
    facts: dict[str, Any] = {
        "schema": name,
        "asked_at": NOON,
        "progress": [Progress(name, "oms_canal", "silent", 12, 2, NOON, NOON, 90061)],
        "recent": [],
        "anomalies": anomalies(
            ordering_anomalies=[AnomalyCount("tie", name, name, 3, 3, "It ties.", "Set order_by to position.")],
            databus_windows=Missing(f"[TABLE_OR_VIEW_NOT_FOUND] {name}"),
            schema_drift=[AnomalyCount("new_column", name, "", 1, 1, "A new one.", None)],
        ),
        "results": BuildResults("build", NOON, 3, [NodeResult("assert_messages_can_be_opened", "warn", 2, name)]),
        "last_built_at": NOON,
    }
    found: dict[str, Any] = {
        "limits": Limits(),
        "outcomes": Outcomes(
            Step.DAY,
            [OutcomeCount(name, NOON, "change", 9), OutcomeCount(name, NOON + dt.timedelta(1), "quarantined", 1)],
        ),
        "quarantine": [
            QuarantineCount("malformed_json", "No JSON.", "Correct the writer.", name, 4, 1, NOON, NOON, name)
        ],
        "builds": [Build(NOON, 10, 1, 1)],
        "tables": [TableSize(name, 10, 2, 2048, NOON), TableSize("s.other", 0, None, None, None)],
    }
    given = {part: value for part, value in parts.items() if part not in facts}
    return Health(Facts(**(facts | {part: parts[part] for part in facts.keys() & parts})), **(found | given))


def anomalies(**counts: object) -> dict[str, Any]:
    names = ("ordering_anomalies", "image_anomalies", "ddl_anomalies", "databus_windows", "schema_drift")
    return {name: [] for name in names} | counts


class Reader(html.parser.HTMLParser):
    """Reads the tags, attributes and texts of a page, without its style sheet; fails where tags do not pair."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        if "style" not in self.open:
            self.text += text


def test_the_page_has_every_section_and_needs_nothing_else() -> None:
    text = render(health())
    reader = Reader(text)
    names = [value for name, value in reader.attributes if name == "id"]
    assert len(names) == len(set(names))
    assert [name for name in names if name in SECTIONS] == SECTIONS
    links = [value for name, value in reader.attributes if name in ("href", "src")]
    assert {link for link in links if not link.startswith("#")} == {"data:,"}
    assert {link[1:] for link in links if link.startswith("#")} <= set(names)
    assert "url(" not in text
    assert not {"script", "img", "iframe", "object"} & set(reader.tags)
    assert reader.tags.count("h1") == 1
    for shown in ("1 d 1 h", "No JSON.", "Correct the writer.", "2.0 KiB", "2026-03-01 12:00:00", "2,048"):
        assert shown in reader.text
    assert "This could not be read: [TABLE_OR_VIEW_NOT_FOUND] shop" in reader.text


def test_every_chart_has_a_description_and_numbers() -> None:
    days = [OutcomeCount("shop", NOON + dt.timedelta(day), "change", 9) for day in range(3)]
    days.append(OutcomeCount("shop", NOON, "quarantined", 1))
    reader = Reader(render(health(outcomes=Outcomes(Step.DAY, days))))
    words = (
        "27 changes, 0 control events (heartbeats, DDL, transaction marks), 0 duplicates (redeliveries), 1 quarantined"
    )
    labels = [value for name, value in reader.attributes if name == "aria-label"]
    charts = {f"Events of shop per day. In all: {words}.", words}
    assert charts <= set(labels)
    assert reader.attributes.count(("role", "img")) == len(charts)
    tables = {"Sources", "Events of each source by outcome", "Events per source and day", "Reasons", "Order of changes"}
    assert tables <= set(labels)
    # A table that is wider than the page can be scrolled by keyboard.
    assert reader.attributes.count(("tabindex", "0")) == reader.tags.count("table")


def test_names_stay_text_everywhere() -> None:
    reader = Reader(render(health(HOSTILE)))
    plain = Reader(render(health()))
    assert reader.tags == plain.tags
    # Long values have a class of their own.
    names, plain_names = ({name for name, _ in found.attributes if name != "class"} for found in (reader, plain))
    assert names == plain_names
    assert "<script>alert(1)</script>" in reader.text
    assert "\\u202e\\u0000" in reader.text
    assert not re.search("[\x00\u202e]", reader.text)


def test_the_first_line_is_the_verdict_and_findings_follow_worst_first() -> None:
    text = render(health())
    assert (
        '<h1>Watershed: health of schema shop</h1>\n<p class="verdict bad"><span class="badge bad">Broken: 1 problem'
        in text
    )
    found = re.findall(r'<li><span class="badge (\w+)">\w+</span> <a href="#(\w+)">(.*?)</a>\n<p>(.+?)</p></li>', text)
    assert [(kind, section) for kind, section, _, _ in found] == [
        ("bad", "sources"),
        ("doubtful", "tests"),
        ("doubtful", "sources"),
        ("doubtful", "sources"),
        ("doubtful", "anomalies"),
    ]
    assert all(remedy for *_, remedy in found)
    well = render(health(results=BuildResults("build", NOON, 3, []), anomalies=anomalies(), progress=[active(60)]))
    assert '<p class="verdict good"><span class="badge good">Fine: nothing needs attention.' in well


def active(lag_seconds: int) -> Progress:
    return Progress("shop", "oms_canal", "active", 12, 0, NOON, NOON, lag_seconds)


def test_an_active_source_with_a_large_lag_is_not_green() -> None:
    assert state_of(active(60)) == ("active", "good")
    assert state_of(active(30 * 86400)) == ("active", "")


def test_a_warehouse_without_anything_has_a_page() -> None:
    empty = Outcomes(Step.DAY, [])
    lists: dict[str, Any] = {"progress": [], "quarantine": [], "builds": [], "tables": [], "anomalies": anomalies()}
    reader = Reader(render(health(outcomes=empty, results=NoResults("No build has run."), **lists)))
    for words in (
        "No source is configured.",
        "No message has been read.",
        "There are no tables.",
        "No build has read messages.",
        "Not known. No build has run.",
    ):
        assert words in reader.text
    gone = Missing("gone")
    unread = dict.fromkeys(("progress", "outcomes", "quarantine", "builds", "tables"), gone)
    of_models = dict.fromkeys(anomalies(), gone)
    missing = health(**unread, anomalies=of_models)
    assert Reader(render(missing)).text.count("This could not be read: gone") == 10
    assert len(missing.unread) == 10


def test_sources_that_are_left_out_are_named() -> None:
    assert "Not configured in the seed, and left out: 2 sources: a, b." in render(health(other_sources=["a", "b"]))


def test_an_anomaly_has_its_source_meaning_remedy_and_query() -> None:
    text = Reader(render(health())).text
    assert "It ties. Set order_by to position." in " ".join(text.split())
    assert "A new one.Nothing." in "".join(text.split("\n"))
    for condition in (
        "ordering_anomalies where source_name = 'shop' and anomaly = 'tie'",
        "schema_drift where source_name = 'shop' and change_kind = 'new_column'",
    ):
        assert f'.venv/bin/watershed sql "select * from shop.{condition} limit 10"' in text


def test_a_page_of_many_tables_states_what_it_omits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(page._ENVIRONMENT.globals, "MOST_ROWS", 30)
    sizes = [TableSize(f"s.t{number}", 1, 1, 1000 - number, NOON) for number in range(50)]
    text = Reader(render(health(tables=sizes))).text
    assert "20 more are left out." in text
    assert "s.t29" in text
    assert "s.t30" not in text


def shares(text: str, chart: str) -> list[tuple[str, float]]:
    """Return the outcome and the share of each piece of the charts of this class."""
    found = re.search(rf'<div class="{chart}".*?</(?:td|figure)>', text, re.DOTALL)
    assert found is not None
    pieces = re.findall(r'<i class="(\w+)" style="--share: ([\d.]+)%">', found[0])
    return [(name, float(share)) for name, share in pieces]


def test_bars_share_one_scale_and_the_largest_source_is_first() -> None:
    counts = [OutcomeCount("few", NOON, "change", 10)]
    counts += [OutcomeCount("most", NOON, "change", 30), OutcomeCount("most", NOON, "quarantined", 10)]
    text = render(health(outcomes=Outcomes(Step.DAY, counts)))
    assert shares(text, "bar") == [("change", 75.0), ("quarantined", 25.0)]
    assert shares(text[text.index(">few<") :], "bar") == [("change", 25.0)]


def test_columns_stack_outcomes_on_the_scale_of_their_source() -> None:
    counts = [OutcomeCount("shop", NOON + dt.timedelta(day), "change", events) for day, events in enumerate((3, 8, 4))]
    counts.append(OutcomeCount("shop", NOON, "quarantined", 1))
    text = render(health(outcomes=Outcomes(Step.DAY, counts)))
    assert shares(text, "course") == [("change", 37.5), ("quarantined", 12.5), ("change", 100.0), ("change", 50.0)]


def test_tiles_count_messages_of_the_same_sources() -> None:
    told = {label: (value, badge.word, badge.kind) for _, label, value, badge in headlines(health())}
    assert told == {
        "Messages landed": ("12", "2 unread", "doubtful"),
        "Messages in quarantine": ("1", "8.3 % of all", "bad"),
        "Largest lag": ("1 d 1 h", "shop", ""),
        "Last build": ("0 s ago", "2026-03-01 12:00:00", ""),
        "Data tests": ("3 passed", "1 warned", "doubtful"),
    }
    failed = BuildResults("build", NOON, 3, [NodeResult("a", "fail", 2, ""), NodeResult("b", "warn", 1, "")])
    assert headlines(health(results=failed))[-1].badge == ("1 failed, 1 warned", "bad")
    assert headlines(health(results=NoResults("")))[-1][2:] == ("-", ("not known", ""))


def test_the_age_of_the_results_is_shown() -> None:
    text = Reader(render(health(asked_at=NOON + dt.timedelta(hours=3)))).text
    assert "3 passed, 1 warned, 0 failed in dbt build at 2026-03-01 12:00:00, 3 h ago" in text


def test_events_of_two_days_are_not_drawn_over_time() -> None:
    counts = [OutcomeCount(name, NOON, "change", 9) for name in ("shop", "bank")]
    text = " ".join(Reader(render(health(outcomes=Outcomes(Step.DAY, counts)))).text.split())
    assert "They landed on 2026-03-01." in text
    assert "Over time" not in text
    counts.append(OutcomeCount("shop", NOON + dt.timedelta(1), "change", 9))
    text = " ".join(Reader(render(health(outcomes=Outcomes(Step.DAY, counts)))).text.split())
    assert "They landed from 2026-03-01 to 2026-03-02." in text
    assert "Over time" not in text


def test_a_reason_comes_with_a_place_and_the_command_that_shows_it() -> None:
    odd = "o'shop $HOME `id`"
    page = render(health(odd))
    assert f"Correct the writer.{odd}" in Reader(page).text
    commands = re.findall(r"\.venv/bin/watershed sql .+? limit 10\"", html.unescape(page))
    shown = next(command for command in commands if "quarantine" in command)
    taken = subprocess.run(["bash", "-c", f"printf %s {shown.partition(' sql ')[2]}"], capture_output=True, text=True)
    assert taken.stdout == (
        f"select * except (value), cast(unbase64(value) as string) as value from {quote(odd)}.quarantine "
        "where source_name = 'o\\'shop $HOME `id`' and reason_code = 'malformed_json' limit 10"
    )
    assert "as value from shop.quarantine where source_name = 'shop'" in html.unescape(render(health()))


@pytest.mark.parametrize(
    ("span", "step", "columns"),
    [
        (dt.timedelta(), Step.DAY, FEWEST),
        (dt.timedelta(minutes=30), Step.MINUTE, 31),
        (dt.timedelta(hours=30), Step.HOUR, 31),
        (dt.timedelta(days=30), Step.DAY, 31),
        (dt.timedelta(days=365), Step.MONTH, 13),
        (dt.timedelta(days=3650), Step.MONTH, MOST),
    ],
)
def test_any_span_of_time_fits_into_a_plot(span: dt.timedelta, step: Step, columns: int) -> None:
    first, last = dt.datetime(2026, 3, 1) - span, dt.datetime(2026, 3, 1)
    assert step_for(first, last) is step
    first = first.replace(day=1) if step is Step.MONTH else first
    steps = steps_between(step, first, last)
    assert len(steps) == columns
    assert steps[-1] == last
    assert steps == sorted(set(steps))
    assert len({label(step, at) for at in steps}) == columns


def test_values_are_written_for_people() -> None:
    assert [duration(seconds) for seconds in (0, 59, 3600, 90061, -60)] == ["0 s", "59 s", "1 h", "1 d 1 h", "-1 min"]
    assert [size(number) for number in (0, 1023, 1024, 5 * 2**40, 2**60)] == [
        "0 B",
        "1023 B",
        "1.0 KiB",
        "5.0 TiB",
        "1048576.0 TiB",
    ]
    assert [counted(number, "row") for number in (0, 1, 1000)] == ["0 rows", "1 row", "1,000 rows"]
    assert visible("a\tb<\ud800>") == "a\\u0009b<\\ud800>"
    assert moment(NOON) == "2026-03-01 12:00:00"


def test_colours_can_be_distinguished() -> None:
    style = (Path(page.__file__).parent / "page.css").read_text("utf-8")
    schemes = [
        dict(re.findall(r"--(\w+): #(\w{6});", rule)) for rule in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    ]
    assert len(schemes) == 2
    for colours in schemes:
        for name, least in (
            {"text": 7.0} | dict.fromkeys(("muted", "link", "good", "doubtful", "quarantined"), 4.5)
        ).items():
            assert contrast(colours[name], colours["page"]) >= least, name
        for name in data.OUTCOMES:
            assert contrast(colours[name], colours["page"]) >= 3, name


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2.1 between two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_names_are_quoted_for_spark() -> None:
    assert quote("a`b") == "`a``b`"


def test_without_a_server_nothing_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    for output, expected in (
        ("report.html", "No Watershed server answers at 127.0.0.1:1"),
        ("seeds", "seeds is a folder"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["report", "--output", output])
        assert ended.value.code == 2
        assert expected in capsys.readouterr().err
    assert not (project / "report.html").exists()
