"""The docs site as `make docs` serves it, opened and clicked through in a browser."""

from __future__ import annotations

import functools
import http.server
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT_DIR
from dbt_project import PUBLISHED, Project
from playwright.sync_api import Browser, Locator, Page, expect
from visits import visit
from watershed_udfs.registry import UDFS

from watershed.sources import read_formats

pytestmark = pytest.mark.e2e


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing; dbt's page asks for two files that are the source text of a template."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        if "%7B%7B" in self.path:
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


@pytest.fixture(scope="module")
def target(samples: Project) -> Path:
    """Write the site of the samples once, as `make docs` does."""
    samples.dbt("docs", "generate")
    target = samples.folder / "target" / "0"
    subprocess.run([sys.executable, PROJECT_DIR / "scripts" / "docs_site.py", target], check=True)
    return target


@pytest.fixture(scope="module")
def site(target: Path) -> Iterator[str]:
    """Serve the site on this machine, and give its address."""
    handler = functools.partial(Silent, directory=target / "site")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def models(target: Path) -> dict[str, dict[str, Any]]:
    nodes = json.loads((target / "manifest.json").read_text())["nodes"].values()
    return {node["name"]: node for node in nodes if node["resource_type"] == "model"}


def test_every_published_column_is_described(target: Path) -> None:
    catalog = json.loads((target / "catalog.json").read_text())["nodes"]
    described = models(target)
    for name in PUBLISHED:
        assert list(catalog[f"model.watershed.{name}"]["columns"]) == list(described[name]["columns"]), name
        assert all(column["description"] for column in described[name]["columns"].values()), name


def test_a_unified_column_has_one_wording_everywhere(target: Path) -> None:
    described = models(target)
    blocks = json.loads((target / "manifest.json").read_text())["docs"]
    unified = {name: blocks[f"doc.watershed.{name}"]["block_contents"] for name in described["changelog"]["columns"]}
    for model in ("events", *PUBLISHED, *(name for name in described if name.startswith("stg_"))):
        for name, column in described[model]["columns"].items():
            assert column["description"] == unified.get(name, column["description"]), f"{model}.{name}"


def test_no_number_of_rows_is_told(target: Path) -> None:
    nodes = json.loads((target / "site" / "catalog.json").read_text())["nodes"].values()
    assert not any("rows" in node["stats"] for node in nodes), "dbt-spark gives 0 for Delta tables"


def test_another_dbt_stops_the_script(target: Path, tmp_path: Path) -> None:
    for name in ("catalog.json", "manifest.json"):
        (tmp_path / name).symlink_to(target / name)
    (tmp_path / "index.html").write_text((target / "index.html").read_text().replace("<title>dbt Docs", "<title>Docs"))
    command = [sys.executable, PROJECT_DIR / "scripts" / "docs_site.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "expected 1 of '<title>dbt Docs</title>' in dbt's index.html, found 0. With another dbt" in done.stderr


def test_every_format_leads_to_its_page(target: Path) -> None:
    described = models(target)
    for name in read_formats(PROJECT_DIR):
        assert f"docs/formats/{name}.md)" in described[f"stg_{name}__events"]["description"]


def test_search_leads_to_a_model_and_its_columns(site: str, browser: Browser) -> None:
    with visit(browser, site) as page:
        expect(page.get_by_role("heading", name="Watershed", exact=True)).to_be_visible()
        expect(page.locator("pre").first).to_contain_text("landing.messages")
        for name in ("changelog", "events", "current_rows", "quarantine"):
            assert first_found(page, name) == f"{name} model", "what has the whole name stands first"
        assert first_found(page, "canal") == "watershed.oms_canal macro", "the page of the format"
        assert first_found(page, "beeline") == "watershed.analysts macro"
        found(page, "changelog").click()
        assert page.title() == "Watershed"
        expect(page.get_by_role("heading", level=1)).to_contain_text("changelog")
        page.get_by_role("row").filter(has_text="row_key").first.click()
        expect(page.get_by_text("Key of the row as canonical JSON: key columns sorted by name").last).to_be_visible()


def test_a_model_is_read_in_a_narrow_window(site: str, browser: Browser) -> None:
    with visit(browser, site + "#!/model/model.watershed.changelog", viewport={"width": 400, "height": 900}) as page:
        expect(page.get_by_role("heading", level=1)).to_contain_text("changelog")
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        described = page.get_by_role("row").filter(has_text="row_key").first.bounding_box()
        assert described is not None
        assert described["x"] >= 0
        assert described["x"] + described["width"] <= 400


def test_the_lineage_reads_from_landing_to_analysts(site: str, browser: Browser) -> None:
    with visit(browser, site, viewport={"width": 1400, "height": 950}) as page:
        expect(page.get_by_role("heading", name="Watershed", exact=True)).to_be_visible()
        places = graph(page)
        way = ["messages", "stg_oms_canal__events", "events", "row_states", "current_rows", "rows_as_they_are"]
        assert [places[name] for name in way] == sorted({places[name] for name in way})
        assert {"what_changed", "health_report", "typed_tables", "rows_as_they_were"} <= set(places)
        # A thousand lines to tests would leave nothing to be read.
        assert not any(name.startswith(("assert_", "has_")) for name in places)
        assert page.locator("canvas").first.bounding_box()["width"] > 1000  # type: ignore[index]


def test_the_overview_opens_a_lineage_that_can_be_read(site: str, browser: Browser) -> None:
    with visit(browser, site, viewport={"width": 1400, "height": 950}) as page:
        page.get_by_role("link", name="Events and what is made of them").click()
        page.reload()
        page.wait_for_function("() => document.querySelector('#cy')?._cyreg?.cy.nodes(':visible').length > 1")
        names = page.evaluate(
            "document.querySelector('#cy')._cyreg.cy.nodes(':visible').map(node => node.data('name'))"
        )
        assert {"events", "changelog", "current_rows"} <= set(names)
        assert not any(name.startswith("stg_") for name in names)


def test_the_lineage_of_a_model_is_that_model_alone(site: str, browser: Browser) -> None:
    with visit(browser, site + "#!/model/model.watershed.changelog") as page:
        expect(page.get_by_role("heading", level=1)).to_contain_text("changelog")
        places = graph(page)
        assert {"events", "changelog", "what_changed"} <= set(places)
        assert not {"heartbeats", "quarantine"} & set(places)


def test_pages_of_formats_and_functions_are_reached(site: str, browser: Browser) -> None:
    with visit(browser, site) as page:
        page.get_by_role("link", name="The formats").click()
        page.locator("tr").filter(has_text="oms_canal").get_by_role("link").click()
        expect(page.get_by_role("heading", name="What can surprise you")).to_be_visible()
        contents = page.get_by_role("navigation", name="Contents").get_by_role("link")
        assert contents.all_inner_texts() == page.get_by_role("heading", level=2).all_inner_texts()
        page.get_by_role("link", name="stg_oms_canal__events").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("stg_oms_canal__events")
        page.get_by_role("link", name="How the format is read").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Canal (oms_canal)")
        page.get_by_role("link", name="Models").click()
        # What is typed before the page is there is lost.
        expect(page.get_by_role("heading", name="Watershed", exact=True)).to_be_visible()
        found(page, "overlay_images").click()
        expect(page.locator("[marked='macro.description']")).to_contain_text("Lays row images over each other")
        page.get_by_role("link", name="All functions").click()
        rows = page.locator("table").first.locator("tbody td:first-child")
        assert rows.all_inner_texts() == [udf.name for udf in UDFS]


def test_no_link_of_the_pages_leads_nowhere(target: Path) -> None:
    site = target / "site"
    manifest = json.loads((site / "manifest.json").read_text())
    known = {name for kind in ("nodes", "macros") for name in manifest[kind]}
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    texts = {page: page.read_text("utf-8") for page in pages if page.name != "index.html"}
    for page, text in texts.items():
        for link in re.findall('href="([^"]+)"', text):
            file, _, place = link.partition("#")
            if ":" in file:
                continue
            found = (page.parent / file).resolve() if file else page
            assert found.is_file(), f"{page}: {link}"
            if found.name == "index.html":
                assert not place or place.rpartition("/")[2] in known, f"{page}: {link}"
            elif place:
                assert f'id="{place}"' in texts[found], f"{page}: {link}"


def first_found(page: Page, name: str) -> str:
    """Search for a name and return what stands first."""
    page.get_by_placeholder("Search for models...").fill(name)
    expect(page.locator(".search-result").first).to_contain_text(name)
    return page.locator(".search-result h4").first.inner_text()


def found(page: Page, name: str) -> Locator:
    """Search for a name and return what leads to it."""
    page.get_by_placeholder("Search for models...").fill(name)
    return page.locator(".search-result h4").filter(has_text=re.compile(rf"(^|\.|\s){name}\b")).first


def graph(page: Page) -> dict[str, float]:
    """Open the graph; return the name of each node that is drawn, and how far right it stands."""
    page.locator("[ng-click='onLauncherClick()']").click()
    drawn = page.wait_for_function(
        "() => document.querySelector('#cy')?._cyreg?.cy.nodes(':visible')"
        ".map(node => [node.data('name'), node.renderedPosition('x')])"
    )
    page.wait_for_function("() => document.querySelector('#cy')._cyreg.cy.nodes(':visible').length > 1")
    return {name: place for name, place in drawn.json_value() if name}
