"""Makes the docs site of the files of `dbt docs generate`: the folder site in its target folder. Called by `make docs`.

dbt's site knows models, sources, seeds and macros. The pages in docs/ and udfs/ and the Spark functions are added to
its manifest, so that its own search finds them, and the pages are rendered beside it, with contents and links. Tests
are left out of the manifest, or the lineage could not be read. Of dbt's page itself the head is changed, and one term.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from watershed_udfs.registry import UDFS

PROJECT_DIR = Path(__file__).resolve().parents[1]
PACKAGE = "watershed"
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_HEAD = """<title>Watershed</title><style>
.column-row td:nth-child(4), .table-responsive th:nth-child(4) { display: none; }
.table-responsive th:nth-child(3) { width: 60%; }
.column-row td, .column-row td *, .detail-body { white-space: normal !important; overflow: visible !important; }
@media (max-width: 700px) {
    body, .app { min-width: 0 !important; }
    .app-frame { width: auto !important; }
    .app-menu, .logo, .table-responsive th, .column-row td:nth-child(n+4) { display: none !important; }
    .column-row, .column-row td, .column-row td * {
        display: block; width: auto !important; max-width: none !important;
        padding: 0 !important; overflow-wrap: anywhere;
    }
    .column-row { margin: 1rem; }
    .column-row td:first-child { font-weight: bold; }
}
</style><script>
// The whole name first, then names that hold it, short ones ahead: dbt shows the first 20, and sorts these by weight.
function ranked(found, query) {
    const wanted = query.toLowerCase();
    const rank = ({model: {name}}) => name === wanted ? -2 : name.toLowerCase().includes(wanted) ? -1 / name.length : 0;
    found.sort((one, other) => rank(one) - rank(other)).forEach((result, place) => { result.overallWeight = -place; });
    return found;
}
</script>"""
# What is replaced in dbt's page, and how often it stands there: the title, an icon that its build has left unresolved,
# the order of what is found, and the colour of edges and their arrows, which is that of the ground behind them.
_REPLACED = {
    "<title>dbt Docs</title>": (1, _HEAD),
    "${require('./assets/favicons/favicon.ico')}": (1, "data:,"),
    "}(t.search(n.query),n.checkboxStatus)": (1, "}(ranked(t.search(n.query),n.query),n.checkboxStatus)"),
    "#006f8a": (2, "#8cc3d0"),
}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{top}pages.css">
<title>{title} - Watershed</title>
</head>
<body>
<nav aria-label="Pages"><a href="{top}index.html">Models</a>{links}</nav>
<nav aria-label="Contents">{contents}</nav>
<main>
{content}</main>
</body>
</html>
"""
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem 1rem 4rem; max-width: 60rem; font: 1rem/1.55 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding-bottom: .75rem; border-bottom: 1px solid #8888; }
a { color: light-dark(#0b57a4, #8ec1ff); }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; }
pre, table { display: block; overflow-x: auto; }
pre { padding: .75rem 1rem; background: #8882; font-size: .875rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
table { border-collapse: collapse; }
th, td { padding: .35rem .9rem .35rem 0; border-bottom: 1px solid #8885; text-align: left; vertical-align: top; }
@media print { nav { display: none; } pre { white-space: pre-wrap; } }
"""


def main(target: Path) -> None:
    """Write the folder `site` inside dbt's target folder."""
    site = target / "site"
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    catalog = json.loads((target / "catalog.json").read_text("utf-8"))
    (site / "catalog.json").write_text(json.dumps(_without_rows(catalog)), "utf-8")
    (site / "index.html").write_text(_front_page((target / "index.html").read_text("utf-8")), "utf-8")
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    places = _places(manifest)
    _clear_graph(manifest)
    _link_texts(manifest, places)
    _add_functions(manifest)
    _add_pages(manifest, places)
    (site / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    (site / "pages.css").write_text(_STYLE, "utf-8")
    for source in _sources():
        page = site / source.relative_to(PROJECT_DIR).with_suffix(".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_page(source, places), "utf-8")


def _sources() -> list[Path]:
    """Return the Markdown files that become pages."""
    return [PROJECT_DIR / "udfs" / "README.md", *sorted((PROJECT_DIR / "docs").rglob("*.md"))]


def _front_page(text: str) -> str:
    for old, (times, new) in _REPLACED.items():
        if text.count(old) != times:
            sys.exit(
                f"docs_site: expected {times} of {old!r} in dbt's index.html, found {text.count(old)}. With another "
                "dbt look for what does the same there, and correct _REPLACED in scripts/docs_site.py."
            )
        text = text.replace(old, new)
    return text


def _without_rows(catalog: dict[str, Any]) -> dict[str, Any]:
    """Take out the numbers of rows: dbt-spark gives 0 for each Delta table."""
    for node in catalog["nodes"].values():
        node["stats"] = {name: stat for name, stat in node["stats"].items() if name != "rows"}
    return catalog


def _places(manifest: dict[str, Any]) -> dict[str, str]:
    """Return where each file of the project is in the site, by its path: a page, or what dbt shows of it."""
    places = {}
    for kind in ("nodes", "macros"):
        for name, node in manifest[kind].items():
            if node["package_name"] == PACKAGE and node["resource_type"] != "test":
                places[node["original_file_path"]] = f"index.html#!/{node['resource_type']}/{name}"
    for source in _sources():
        path = source.relative_to(PROJECT_DIR)
        places[path.as_posix()] = path.with_suffix(".html").as_posix()
    return places | {"models/overview.md": "index.html"}


def _linked(text: str, folder: str, places: dict[str, str], top: str) -> str:
    """Return Markdown whose links lead to places of the site; one to anything else becomes its text.

    Args:
        text: The Markdown.
        folder: The folder in the project that its links start from.
        places: Where each file is in the site.
        top: How the site's root is reached from where the text is shown.
    """

    def link(match: re.Match[str]) -> str:
        path = os.path.normpath(os.path.join(folder, match[1]))
        place = places.get(path) or places.get(f"{path}/README.md")
        return f"]({top}{place}{match[2] or ''})" if place else "](#)"

    return re.sub(r"\[([^\[\]]*)\]\(#\)", r"\1", _LINK.sub(link, text))


def _texts(manifest: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Give each object with a text of ours, and the name of that text."""
    for block in manifest["docs"].values():
        yield block, "block_contents"
    for kind in ("nodes", "sources", "macros", "exposures"):
        for node in manifest[kind].values():
            yield node, "description"


def _link_texts(manifest: dict[str, Any], places: dict[str, str]) -> None:
    for holder, name in _texts(manifest):
        if holder["package_name"] == PACKAGE:
            folder = os.path.dirname(holder["original_file_path"])
            holder[name] = _linked(holder[name], folder, places, "")


def _clear_graph(manifest: dict[str, Any]) -> None:
    """Take out tests but those of columns, and have a name mean its model and not a folder of that name as well."""
    edges = manifest["parent_map"]
    manifest["parent_map"] = {name: edges[name] for name in edges if not name.startswith(("test.", "unit_test."))}
    nodes = manifest["nodes"]
    manifest["unit_tests"] = {}
    manifest["nodes"] = {
        name: node for name, node in nodes.items() if node["resource_type"] != "test" or "test_metadata" in node
    }
    for node in manifest["nodes"].values():
        node["fqn"] = [node["fqn"][0], node["fqn"][-1]]


def _add_functions(manifest: dict[str, Any]) -> None:
    for udf in UDFS:
        signature = f"{udf.name}({udf.parameters}) returns {udf.returns}"
        _add(
            manifest,
            udf.name,
            f"functions/{udf.name}.py",
            f"{udf.description}\n\n    {signature}\n\nAfter: {udf.source}. [All functions](udfs/README.html)",
        )


def _add_pages(manifest: dict[str, Any], places: dict[str, str]) -> None:
    for source in _sources():
        path = source.relative_to(PROJECT_DIR)
        text = _linked(source.read_text("utf-8"), path.parent.as_posix(), places, "")
        name = path.stem if path.stem != "README" else path.parent.name
        _add(manifest, name, path.as_posix(), f"[Open as a page of its own]({places[path.as_posix()]})\n\n{text}")


def _add(manifest: dict[str, Any], name: str, path: str, description: str) -> None:
    """Add what dbt does not know as a macro, which its site finds, shows, and keeps out of the lineage."""
    unique_id = f"macro.{PACKAGE}.{name}"
    if unique_id in manifest["macros"]:
        unique_id += "_page"
    manifest["macros"][unique_id] = {
        "unique_id": unique_id,
        "name": name,
        "resource_type": "macro",
        "package_name": PACKAGE,
        "path": path,
        "original_file_path": path,
        "description": description,
        "macro_sql": "",
        "arguments": [],
        "depends_on": {"macros": []},
        "docs": {"show": True},
        "meta": {},
    }


def _page(source: Path, places: dict[str, str]) -> str:
    path = source.relative_to(PROJECT_DIR)
    top = "../" * (len(path.parts) - 1)
    text = source.read_text("utf-8")
    links = [("docs/formats/README.md", "Formats"), ("docs/analysts.md", "Queries"), ("udfs/README.md", "Functions")]
    tokens = MarkdownIt("commonmark", {"html": False}).enable("table")
    content = tokens.render(_linked(text, path.parent.as_posix(), places, top))
    # Headings get the names that links to them use.
    content = re.sub(r"<(h[2-4])>(.*?)</\1>", lambda found: _heading(found[1], found[2]), content)
    headings = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', content)
    return _PAGE.format(
        top=top,
        title=html.escape(text.partition("\n")[0].removeprefix("# ").replace("`", "")),
        links="".join(f'<a href="{top}{places[name]}">{title}</a>' for name, title in links if name in places),
        contents="".join(f'<a href="#{name}">{re.sub("<[^>]*>", "", title)}</a>' for name, title in headings),
        content=content,
    )


def _heading(tag: str, content: str) -> str:
    plain = html.unescape(re.sub("<[^>]*>", "", content)).lower()
    name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
    return f'<{tag} id="{html.escape(name)}">{content}</{tag}>'


if __name__ == "__main__":
    main(Path(sys.argv[1]))
