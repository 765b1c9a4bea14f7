"""Makes the docs site out of what `dbt docs generate` wrote: target/site, to be served as it is. Called by `make docs`.

dbt's site knows models, sources, seeds and macros. Added are the pages in docs/ and udfs/, the Spark functions, and
links to all of them. Its lineage graph is left without tests and functions, which would hide the way of the data.
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
# Of dbt's own page: which nodes the graph draws, and an icon that its build has left unresolved.
_DRAWN = (
    '"saved_query","function"],e.resource_type),n="test"===e.resource_type&&!e.hasOwnProperty("test_metadata"),'
    'o="unit_test"===e.resource_type;return t||n||o'
)
_ICON = "${require('./assets/favicons/favicon.ico')}"
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
<main>
{content}</main>
</body>
</html>
"""
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem 1rem 4rem; max-width: 60rem; font: 1rem/1.55 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding-bottom: .75rem; border-bottom: 1px solid #8888; }
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
    shutil.copy(target / "catalog.json", site)
    (site / "index.html").write_text(_front_page((target / "index.html").read_text("utf-8")), "utf-8")
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    places = _places(manifest)
    _clear_graph(manifest)
    _add_functions(manifest)
    _link_texts(manifest, places)
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
    for old, new in ((_DRAWN, '"saved_query"],e.resource_type);return t'), (_ICON, "data:,")):
        if text.count(old) != 1:
            sys.exit(f"docs_site: dbt's index.html is not as expected: {old!r} is there {text.count(old)} times.")
        text = text.replace(old, new)
    return text


def _places(manifest: dict[str, Any]) -> dict[str, str]:
    """Return where each file of the project is in the site, by its path: a page, or what dbt shows of it."""
    places = {}
    for kind in ("nodes", "macros"):
        for name, node in manifest[kind].items():
            if node["package_name"] == PACKAGE:
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
    """Take out edges to tests, and have a model's name mean that model and not a folder of the same name as well."""
    edges = manifest["parent_map"]
    manifest["parent_map"] = {name: edges[name] for name in edges if not name.startswith(("test.", "unit_test."))}
    for node in manifest["nodes"].values():
        node["fqn"] = [node["fqn"][0], node["fqn"][-1]]


def _add_functions(manifest: dict[str, Any]) -> None:
    """Describe the Spark functions as functions of the project; dbt does not make them, the server does."""
    for udf in UDFS:
        name = f"function.{PACKAGE}.{udf.name}"
        signature = f"{udf.name}({udf.parameters})\nreturns {udf.returns}"
        manifest["functions"][name] = {
            "unique_id": name,
            "name": udf.name,
            "resource_type": "function",
            "package_name": PACKAGE,
            "path": f"{udf.name}.py",
            "original_file_path": f"functions/{udf.name}.py",
            "fqn": [PACKAGE, "functions", udf.name],
            "description": f"{udf.description}\n\nAfter: {udf.source}. [All functions](udfs/README.html)",
            "raw_code": signature,
            "compiled_code": signature,
            "language": "sql",
            "columns": {},
            "config": {},
            "meta": {},
            "tags": [],
            "depends_on": {"nodes": [], "macros": []},
            "docs": {"show": True},
        }
        manifest["parent_map"][name] = manifest["child_map"][name] = []


def _page(source: Path, places: dict[str, str]) -> str:
    path = source.relative_to(PROJECT_DIR)
    top = "../" * (len(path.parts) - 1)
    text = source.read_text("utf-8")
    links = [("docs/formats/README.md", "Formats"), ("docs/analysts.md", "Queries"), ("udfs/README.md", "Functions")]
    tokens = MarkdownIt("commonmark", {"html": False}).enable("table")
    content = tokens.render(_linked(text, path.parent.as_posix(), places, top))
    # Headings get the names that links to them use.
    content = re.sub(r"<(h[2-4])>(.*?)</\1>", lambda found: _heading(found[1], found[2]), content)
    return _PAGE.format(
        top=top,
        title=html.escape(text.partition("\n")[0].removeprefix("# ").replace("`", "")),
        links="".join(f'<a href="{top}{places[name]}">{title}</a>' for name, title in links if name in places),
        content=content,
    )


def _heading(tag: str, content: str) -> str:
    plain = html.unescape(re.sub("<[^>]*>", "", content)).lower()
    name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
    return f'<{tag} id="{html.escape(name)}">{content}</{tag}>'


if __name__ == "__main__":
    main(Path(sys.argv[1]))
