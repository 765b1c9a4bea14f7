"""`watershed report` over the samples, opened in a browser: with a narrow window, by keyboard and on paper."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import WATERSHED
from dbt_project import Project
from playwright.sync_api import Browser
from visits import visit

pytestmark = pytest.mark.e2e
SECTIONS = [
    "Is it fine?",
    "Progress of sources",
    "Outcomes of messages",
    "Quarantine",
    "Anomalies",
    "Data tests",
    "Builds",
    "Tables",
]
# Elements of a table that are folded away are in the page, but have no place in it.
IS_SHOWN = "element => element.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true})"


@pytest.fixture(scope="module")
def report(samples: Project, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the report of the samples once, and give its address."""
    file = tmp_path_factory.mktemp("report") / "a folder that is missing" / "health of all.html"
    command = [WATERSHED, "report", "--output", str(file)]
    env = samples.server.env | {"WATERSHED_SCHEMA": samples.schema}
    done = subprocess.run(command, cwd=samples.folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    written, verdict = done.stdout.splitlines()
    assert written == f"Written: {file}"
    assert verdict.startswith("Warnings: ")
    assert done.stderr.count("Querying the server: ") == len(done.stderr.splitlines()) == 6
    return file.as_uri()


def test_the_report_shows_the_outcomes_of_the_samples(report: str, browser: Browser, samples: Project) -> None:
    with visit(browser, report) as page:
        assert page.get_by_role("heading", level=2).all_inner_texts() == SECTIONS
        sources = [name for (name,) in samples.rows("cdc_sources", "source_name")]
        told = page.get_by_role("region", name="Sources").get_by_role("rowheader").all_inner_texts()
        assert sorted(told) == sources
        bars = page.get_by_role("region", name="Events of each source by outcome")
        assert set(sources) == set(bars.get_by_role("rowheader").all_inner_texts())
        assert bars.locator(".bar i").evaluate_all("pieces => pieces.every(piece => piece.clientWidth >= 3)")
        quarantined, messages = samples.rows(
            "quarantine",
            "count(*), count(distinct struct(reason_code, source_name, batch_id, topic, partition, offset))",
        )[0]
        tile = page.locator(".tiles li").filter(has_text="Messages in quarantine")
        assert tile.locator("b").inner_text() == str(messages)
        cells = page.get_by_role("region", name="Reasons").locator("tbody td.number").all_inner_texts()
        assert sum(int(cell) for cell in cells) == quarantined
        assert page.locator("header .verdict").inner_text().startswith("Warnings: ")
        assert "in quarantine as malformed_json" in page.locator("#attention").inner_text()
        assert page.get_by_role("rowheader", name="landing.messages").count() == 1


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_of_the_report_is_cut(report: str, browser: Browser, width: int) -> None:
    with visit(browser, report, viewport={"width": width, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for table in page.get_by_role("region").filter(has=page.locator("table:visible")).all():
            assert table.evaluate("region => region.scrollWidth - region.clientWidth") == 0, table.inner_text()[:99]


def test_the_report_is_read_by_keyboard(report: str, browser: Browser) -> None:
    with visit(browser, report) as page:
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="To the content")
        assert skip.evaluate("link => link === document.activeElement && link.getBoundingClientRect().left >= 0")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        numbers = page.locator("details").filter(has_text="The numbers")
        for _ in range(100):
            page.keyboard.press("Tab")
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
            if numbers.locator("summary").evaluate("summary => summary === document.activeElement"):
                break
        assert not numbers.locator("table").evaluate(IS_SHOWN)
        page.keyboard.press("Enter")
        assert numbers.locator("table").evaluate(IS_SHOWN)


def test_the_printed_report_holds_everything(report: str, browser: Browser) -> None:
    with visit(browser, report, color_scheme="dark") as page:
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        outline = page.pdf(outline=True, tagged=True)
        for title in SECTIONS:
            assert f"/Title ({title})".encode() in outline
        page.emulate_media(media="print")
        assert all(table.evaluate(IS_SHOWN) for table in page.locator("table").all())
        assert dark != page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.set_viewport_size({"width": 680, "height": 1000})  # A4 without its margins
        assert page.evaluate("document.documentElement.scrollWidth") == 680


def test_a_schema_without_events_is_reported(samples: Project, tmp_path: Path) -> None:
    command = [WATERSHED, "report", "--output", str(tmp_path / "report.html")]
    env = samples.server.env | {"WATERSHED_SCHEMA": "no`where"}
    done = subprocess.run(command, cwd=samples.folder, env=env, capture_output=True, text=True)
    assert done.returncode == 2
    assert "Schema 'no`where' has no table events" in done.stderr
    assert "set WATERSHED_SCHEMA" in done.stderr
    assert list(tmp_path.iterdir()) == []
