"""The docs site as `make docs` serves it, opened and clicked through in a browser."""

from __future__ import annotations

import functools
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT_DIR
from dbt_project import PUBLISHED, Project
from playwright.sync_api import Browser, Page, expect
from visits import visit
from watershed_udfs.registry import UDFS

from watershed.sources import read_formats

pytestmark = pytest.mark.e2e
# Files that the page of dbt requests by names that its build has left unresolved.
NOT_OURS = ("%7B%7B", "$%7B")


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        if any(part in self.path for part in NOT_OURS):
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


@pytest.fixture(scope="module")
def target(samples: Project) -> Path:
    """Write the site of the samples once, as `make docs` does."""
    samples.dbt("docs", "generate")
    target = samples.folder / "target" / "0"
    subprocess.run([sys.executable, PROJECT_DIR / "scripts" / "build_docs.py", target], check=True)
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


def test_every_format_leads_to_its_page(target: Path) -> None:
    described = models(target)
    for name in read_formats(PROJECT_DIR):
        assert f"docs/formats/{name}.md)" in described[f"stg_{name}__events"]["description"]


def test_dbt_docs_find_a_model_and_show_its_columns(target: Path, site: str, browser: Browser) -> None:
    description = models(target)["changelog"]["columns"]["row_key"]["description"]
    with visit(browser, site + "dbt/index.html") as page:
        expect(page.locator("pre").first).to_contain_text("landing.messages")
        page.get_by_placeholder("Search for models...").fill("changelog")
        page.locator(".search-result h4").filter(has_text="changelog model").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("changelog")
        page.get_by_role("row").filter(has_text="row_key").first.click()
        expect(page.get_by_text(description.partition(".")[0].partition("`")[0]).last).to_be_visible()


def test_the_pages_and_dbt_docs_lead_to_each_other(site: str, browser: Browser) -> None:
    with visit(browser, site) as page:
        expect(page).to_have_url(site + "docs/index.html")
        page.get_by_role("main").get_by_role("link", name="all formats").click()
        page.locator("tr").filter(has_text="oms_canal").get_by_role("link").first.click()
        expect(page.get_by_role("heading", name="What can surprise you")).to_be_visible()
        page.get_by_role("link", name="stg_oms_canal__events").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("stg_oms_canal__events")
        page.locator("a[href$='docs/formats/oms_canal.html']").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Canal (oms_canal)")
        page.get_by_role("link", name="Models, columns and lineage").click()
        expect(page.locator("pre").first).to_contain_text("landing.messages")


def test_links_of_descriptions_lead_to_pages(target: Path, site: str, browser: Browser) -> None:
    with visit(browser, site + "dbt/index.html") as page:
        found = page.locator("a[href^='../']")
        expect(found.first).to_be_attached()  # dbt's page fills itself after it has loaded
        links = found.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert len(links) > 5
    for link in links:
        assert (target / "site" / "dbt" / link.partition("#")[0]).is_file(), link


def test_the_functions_are_listed(site: str, browser: Browser) -> None:
    with visit(browser, site + "udfs/README.html") as page:
        rows = page.locator("table").first.locator("tbody td:first-child")
        assert rows.all_inner_texts() == [udf.name for udf in UDFS]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("dead-letter queue", "Glossary > Dead-letter queue"),
        ("idempotent", "Glossary > Idempotent"),
        ("backfill", "Glossary > Backfill"),
        ("late-arriving", "Glossary > Late-arriving change"),
        ("SCD2", "Glossary > SCD2"),
        ("beeline", "How to connect and query"),
        ("oms_canal", "Canal (oms_canal)"),
    ],
)
def test_search_finds_pages_and_terms(site: str, browser: Browser, words: str, first: str) -> None:
    with visit(browser, site + "docs/index.html") as page:
        assert first in found(page, words)[:2]


@pytest.mark.parametrize("width", [400, 1400])
def test_no_page_is_wider_than_the_window(target: Path, site: str, browser: Browser, width: int) -> None:
    folder = target / "site"
    pages = {path for path in folder.rglob("*.html") if path.parent.name != "dbt"} - {folder / "index.html"}
    assert len(pages) > 40
    with visit(browser, site + "docs/index.html", viewport={"width": width, "height": 900}) as page:
        for path in sorted(pages):
            page.goto(site + path.relative_to(folder).as_posix())
            assert page.evaluate("document.documentElement.scrollWidth") == width, path


def found(page: Page, words: str) -> list[str]:
    """Search the pages; return the titles that are found, the best first."""
    page.get_by_placeholder("Search").first.fill(words)
    page.keyboard.press("Enter")
    expect(page.locator("#search-results .search-summary")).to_contain_text("found")
    return page.locator("#search-results .search li > a").all_inner_texts()
