"""The pages of the docs site: every link between them resolves, and one that does not stops the build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import PROJECT_DIR
from scripts_of_make import script


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the pages of the project, as `make docs` does."""
    site = tmp_path_factory.mktemp("docs") / "site"
    script("build_docs").build_pages(site)
    return site


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {path.relative_to(PROJECT_DIR).with_suffix(".html") for path in (PROJECT_DIR / "docs").rglob("*.md")}
    assert len(pages) > 40
    assert pages <= {path.relative_to(site) for path in site.rglob("*.html")}
    assert "url=docs/index.html" in (site / "index.html").read_text()


def test_a_model_of_a_page_is_a_link_to_the_dbt_docs(site: Path) -> None:
    page = (site / "docs" / "formats" / "oms_canal.html").read_text()
    assert 'href="/dbt/index.html#!/model/model.watershed.stg_oms_canal__events"' in page
    overview = (site / "models" / "overview.html").read_text()
    assert 'href="/dbt/index.html#!/overview?g_v=1' in overview
    assert "enddocs" not in overview


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(?:https?:)?//')
    assert not [page for page in site.rglob("*.html") if loaded.search(page.read_text())]


@pytest.mark.parametrize("link", ["no_page.md", "other.md#no-heading", "../models/no_model.yml"])
def test_a_link_that_leads_nowhere_stops_the_build(
    tmp_path: Path, link: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(
        f"# Start\n\n[A link]({link}), [a page](other.md#heading).\n\n```{{toctree}}\nother\n```\n"
    )
    (docs / "other.md").write_text("# Other\n\n## Heading\n")
    build_docs = script("build_docs")
    monkeypatch.setattr(build_docs, "PAGES_DIR", tmp_path)
    with pytest.raises(SystemExit) as ended:
        build_docs.build_pages(tmp_path / "site")
    assert ended.value.code != 0
    warning = capfd.readouterr().err
    assert "docs/index.md:3: WARNING: " in warning
    assert f"'{link.rpartition('#')[2]}'" in warning


def test_links_of_the_manifest_lead_to_pages(tmp_path: Path) -> None:
    for name in ("index.html", "catalog.json"):
        (tmp_path / name).write_text("{}")
    text = "[page](../../../docs/formats/oms_canal.md#what-it-looks-like), [model](#!/model/model.watershed.events)"
    (tmp_path / "manifest.json").write_text(text)
    script("build_docs").add_dbt_docs(tmp_path, tmp_path / "dbt")
    assert (tmp_path / "dbt" / "manifest.json").read_text() == text.replace(
        "../../../docs/formats/oms_canal.md", "../docs/formats/oms_canal.html"
    )
