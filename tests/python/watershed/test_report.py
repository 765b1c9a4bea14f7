"""`watershed report`: what the page says of what the server gave; vendors' names never become markup."""

from __future__ import annotations

import datetime as dt
import html
import html.parser
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT_DIR

from watershed.cli import main
from watershed.client import quote
from watershed.report import data, elements, page
from watershed.report.charts import stacked_columns, stacked_rows
from watershed.report.data import (
    AnomalyCount,
    Build,
    Health,
    OutcomeCount,
    Outcomes,
    Progress,
    QuarantineCount,
    TableSize,
)
from watershed.report.findings import findings, headlines
from watershed.report.page import render
from watershed.report.steps import FEWEST, MOST, Step, label, step_for, steps_between
from watershed.report.tests import DataTests, Told, read_tests, silent_after_minutes
from watershed.texts import duration, escaped, moment, size
from watershed.tables import counted

NOON = dt.datetime(2026, 3, 1, 12)
HOSTILE = "</table><script>alert(1)</script>\" onload='x' &amp; {{ x }} \u202e\x00"
SECTIONS = ["attention", "sources", "outcomes", "quarantine", "anomalies", "tests", "builds", "tables"]
VOID = {"meta", "link", "wbr"}


def health(name: str = "shop", **parts: object) -> Health:
    """A small health in which everything that a vendor can name has this name."""
    found: dict[str, Any] = {
        "schema": name,
        "asked_at": NOON,
        "progress": [Progress(name, "oms_canal", "silent", 12, 2, NOON, NOON, 90061)],
        "outcomes": Outcomes(
            Step.DAY,
            [OutcomeCount(name, NOON, "change", 9), OutcomeCount(name, NOON + dt.timedelta(1), "quarantined", 1)],
        ),
        "quarantine": [QuarantineCount("malformed_json", "No JSON.", "Correct the writer.", name, 1, NOON, NOON, name)],
        "ordering_anomalies": [AnomalyCount("tie", name, name, 3)],
        "image_anomalies": [],
        "databus_windows": data.Unread(f"[TABLE_OR_VIEW_NOT_FOUND] {name}"),
        "schema_drift": [AnomalyCount("new_column", name, "", 1)],
        "builds": [Build(NOON, 10, 1, 1)],
        "tests": DataTests(NOON, 3, [Told("assert_messages_can_be_opened", "warn", 2, name)]),
        "silent_after": 60,
        "tables": [TableSize(name, 10, 2, 2048, NOON), TableSize("s.other", 0, None, None, None)],
    }
    return Health(**(found | parts))


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
    assert "url(" not in text.replace("url(#stripes)", "")
    assert not {"script", "img", "iframe", "object"} & set(reader.tags)
    assert reader.tags.count("h1") == 1
    for shown in ("1 d 1 h", "No JSON.", "Correct the writer.", "2.0 KiB", "2026-03-01 12:00:00", "2,048"):
        assert shown in reader.text
    assert "The server said: [TABLE_OR_VIEW_NOT_FOUND] shop" in reader.text


def test_every_plot_is_told_in_words_and_numbers() -> None:
    reader = Reader(render(health()))
    assert reader.tags.count("desc") == reader.tags.count("title") - 1 == 2
    assert (
        "9 changes, 0 control events (heartbeats, DDL, transaction marks), 0 second deliveries, 1 quarantined"
        in reader.text
    )
    regions = [value for name, value in reader.attributes if name == "aria-label"]
    assert {"Sources", "Events per source and day", "Reasons", "Order of changes", "Tables"} <= set(regions)
    # A table that is wider than the page can be scrolled by keyboard.
    assert reader.attributes.count(("tabindex", "0")) == reader.tags.count("table")


def test_names_stay_text_wherever_they_stand() -> None:
    reader = Reader(render(health(HOSTILE)))
    plain = Reader(render(health()))
    assert reader.tags == plain.tags
    # Long values have a class of their own.
    names, plain_names = ({name for name, _ in found.attributes if name != "class"} for found in (reader, plain))
    assert names == plain_names
    assert "<script>alert(1)</script>" in reader.text
    assert "\\u202e\\u0000" in reader.text
    assert not re.search("[\x00\u202e]", reader.text)


def test_what_needs_attention_is_told_first() -> None:
    drift = [AnomalyCount("widened", "shop", None, 7), AnomalyCount("removed", "shop", None, 1)]
    assert findings(health(schema_drift=drift)) == [
        ("main", "Not all could be read: databus_windows."),
        ("tests", "1 test warned in the last build."),
        (
            "sources",
            "1 source silent: nothing has landed since 2026-03-01 12:00:00 "
            "(limit: 60 min, silent_after_minutes) (shop).",
        ),
        ("sources", "2 messages landed and not read yet: run dbt build."),
        ("quarantine", "1 event in quarantine (shop)."),
        ("anomalies", "3 anomalies of the order of changes."),
        ("anomalies", "1 anomaly of columns that narrowed or went."),
    ]
    names = [Progress(f"s{number}", "oms_canal", "never seen", 0, 0, None, None, None) for number in range(7)]
    well: dict[str, Any] = {
        "tests": None,
        **{name: [] for name in ("quarantine", "ordering_anomalies", "schema_drift", "databus_windows")},
    }
    assert findings(health(progress=names, **well)) == [
        ("sources", "7 sources never seen (s0, s1, s2, s3, s4 and 2 more).")
    ]
    assert findings(health(progress=[], **well)) == []


def test_a_warehouse_without_anything_has_a_page() -> None:
    empty = Outcomes(Step.DAY, [])
    lists = ("progress", "quarantine", "ordering_anomalies", "databus_windows", "schema_drift", "builds", "tables")
    reader = Reader(render(health(outcomes=empty, tests=None, **{name: [] for name in lists})))
    for words in (
        "Nothing stands out.",
        "No source is configured.",
        "No message has been read.",
        "There are no tables.",
        "No build has read messages.",
        "target/ holds no results",
    ):
        assert words in reader.text
    unread = {name: data.Unread("gone") for name in (*lists, "outcomes", "image_anomalies")}
    assert Reader(render(health(**unread))).text.count("The server said: gone") == len(unread)


def test_a_page_of_many_tables_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "MOST_ROWS", 30)
    sizes = [TableSize(f"s.t{number}", 1, 1, 1000 - number, NOON) for number in range(50)]
    text = Reader(render(health(tables=sizes))).text
    assert "20 more are left out." in text
    assert "s.t29" in text
    assert "s.t30" not in text


def test_rows_share_one_scale() -> None:
    parts = {"most": {"change": 150, "quarantined": 50}, "few": {"change": 0, "quarantined": 1}, "none": {"change": 0}}
    svg = stacked_rows("t", "d", parts)
    found = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="(\d+)" width="([\d.]+)"', svg)
    assert found == [
        ("change", "0.0", "20", "255.0"),
        ("quarantined", "255.0", "20", "85.0"),
        ("quarantined", "0.0", "60", "2.5"),
    ]
    assert stacked_rows("t", "d", {"x" * 60: {"change": 1}}).count("…") == 1
    Reader(stacked_rows("t", "d", {}))


def test_tiles_answer_whether_it_is_fine() -> None:
    told = {label: (value, badge.word, badge.kind) for _, label, value, badge in headlines(health())}
    assert told == {
        "Messages landed": ("12", "2 unread", "doubtful"),
        "Events in quarantine": ("1", "10.0 % of all", "bad"),
        "Furthest behind": ("1 d 1 h", "shop", ""),
        "Last build that read": ("0 s ago", "2026-03-01 12:00:00", ""),
        "Data tests": ("3 passed", "1 warned", "doubtful"),
    }
    failed = DataTests(NOON, 3, [Told("a", "fail", 2, ""), Told("b", "warn", 1, "")])
    assert headlines(health(tests=failed))[-1][-1] == ("1 failed, 1 warned", "bad")
    assert ("tests", "1 test failed and 1 test warned in the last build.") in findings(health(tests=failed))


def test_all_that_landed_at_once_is_no_course_of_time() -> None:
    counts = [OutcomeCount(name, NOON, "change", 9) for name in ("shop", "bank")]
    text = Reader(render(health(outcomes=Outcomes(Step.DAY, counts)))).text
    assert "All landed on 2026-03-01." in text
    assert "Events of shop per day" not in text


def test_results_of_tests_are_read_from_target(tmp_path: Path) -> None:
    assert read_tests(tmp_path) is None
    (tmp_path / "target").mkdir()
    results = [{"unique_id": f"test.w.{name}", "status": name, "failures": 2} for name in ("pass", "warn", "fail")]
    ran = {"metadata": {"generated_at": "2026-03-01T12:00:00Z"}, "results": [{"unique_id": "model.w.m"}, *results]}
    (tmp_path / "target" / "run_results.json").write_text(json.dumps(ran))
    assert read_tests(tmp_path) is None, "without the manifest nobody knows the rules"
    nodes = {"test.w.warn": {"name": "assert_x", "description": "A rule.\n"}}
    (tmp_path / "target" / "manifest.json").write_text(json.dumps({"nodes": nodes}))
    assert read_tests(tmp_path) == DataTests(NOON, 1, [Told("assert_x", "warn", 2, "A rule."), Told("", "fail", 2, "")])
    assert silent_after_minutes(PROJECT_DIR) == 60
    assert silent_after_minutes(tmp_path) is None


def test_a_reason_comes_with_a_place_and_the_command_that_shows_it() -> None:
    odd = "o'shop $HOME `id`"
    page = render(health(odd))
    assert f"Correct the writer.{odd}" in Reader(page).text
    (shown,) = [html.unescape(command) for command in re.findall(r"\.venv/bin/watershed sql .+? limit 10&quot;", page)]
    taken = subprocess.run(["bash", "-c", f"printf %s {shown.partition(' sql ')[2]}"], capture_output=True, text=True)
    assert taken.stdout == (
        f"select * except (value), cast(unbase64(value) as string) as value from {quote(odd)}.quarantine "
        "where source_name = 'o\\'shop $HOME `id`' and reason_code = 'malformed_json' limit 10"
    )
    assert "as value from shop.quarantine where source_name = 'shop'" in render(health()).replace("&#x27;", "'")


def test_columns_stack_their_series_from_the_bottom() -> None:
    svg = stacked_columns("t", "d", ["a", "b"], {"change": [3, 0], "quarantined": [1, 2]})
    found = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', svg)
    pieces = [(name, float(y), float(height)) for name, _, y, height in found]
    assert pieces == [("change", 37.5, 82.5), ("quarantined", 10.0, 27.5), ("quarantined", 65.0, 55.0)]
    assert float(found[0][1]) == float(found[1][1]) < float(found[2][1])
    small = stacked_columns("t", "d", ["a"], {"change": [1_000_000], "quarantined": [1]})
    assert re.findall(r'<rect class="quarantined"[^>]*height="([\d.]+)"', small) == ["2.5"]
    Reader(stacked_columns("t", "d", [], {"change": []}))


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
    assert escaped("a\tb<\ud800>") == "a\\u0009b&lt;\\ud800&gt;"
    assert moment(NOON) == "2026-03-01 12:00:00"


def test_colours_can_be_told_apart() -> None:
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
