"""Sphinx renders the Markdown pages of the project, wherever in it they are: `make docs`.

The source folder is the project, so that links between pages are those of the repository. Links to the SQL of a model
or macro lead to its page in the dbt docs, which scripts/build_docs.py puts into the folder `dbt` of the same site.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

project = "Watershed"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "benchmarks/*.md",
    "models/overview.md",
    *(f"{folder}/README.md" for folder in ("samples", "seeds", "tests", "tests/vendor", "udfs")),
]
exclude_patterns = [".*", "target", "logs"]
# Headings get the anchors that a forge gives them; a link to a missing page or anchor fails the build (-W).
myst_heading_anchors = 4
# Absolute: dbt docs need a web server anyway.
myst_url_schemes = {
    **dict.fromkeys(("http", "https", "mailto")),
    "dbt": "/dbt/index.html#!/{{path}}",
    "dbt-graph": "/dbt/index.html#!/{{path}}?{{query}}",
}
# Blocks without a language are diagrams; shortened examples (`..` in JSON) are shown without colours.
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "Watershed"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_favicon = "favicon.svg"
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "models.html",
        "sidebar/scroll-end.html",
    ]
}

_SQL_FILE = re.compile(r"\]\([./]*(model|macro)s/[\w/]+/(\w+)\.sql\)")
_DBT_PLACE = re.compile(r"(\]\(|\]: )#!/")
_DOC_BLOCK = re.compile(r"{% (?:end)?docs .*?%}\n*")


def _adapt(_: Sphinx, name: str, source: list[str]) -> None:
    """Point links at the dbt docs, and take the Jinja tags off the overview, which dbt shows too."""
    text = _SQL_FILE.sub(r"](dbt:\1/\1.watershed.\2)", source[0])
    if name == "models/overview":
        text = _DBT_PLACE.sub(r"\1dbt-graph:", _DOC_BLOCK.sub("", text))
    source[0] = text


def setup(app: Sphinx) -> None:
    """Register what the pages need before they are parsed."""
    app.connect("source-read", _adapt)
