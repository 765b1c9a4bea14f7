"""Builds the docs site: the Markdown pages by Sphinx, and the files of `dbt docs generate` in its folder dbt.

Called by `make docs` with dbt's target folder; the site is the folder `site` in it. dbt's files are used unchanged,
except that links of our descriptions to Markdown files lead to the pages of the site.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parents[1]
PAGES_DIR = PROJECT_DIR
_LINK_TO_PAGE = re.compile(r"\]\((?:\.\./)+([\w/]+)\.md\b")
_START = """<!DOCTYPE html>
<title>Watershed</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=docs/index.html">
"""


def build_pages(site: Path) -> None:
    """Render the pages; a link that leads nowhere stops with its place."""
    shutil.rmtree(site, ignore_errors=True)
    config = PROJECT_DIR / "docs" / "site"
    options = ["--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", site.with_name("doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, "--conf-dir", config, PAGES_DIR, site]
    if (code := subprocess.run(command).returncode) != 0:
        sys.exit(code)
    (site / "index.html").write_text(_START, "utf-8")


def add_dbt_docs(target: Path, folder: Path) -> None:
    """Copy the three files of dbt's site."""
    folder.mkdir()
    for name in ("index.html", "catalog.json"):
        shutil.copy(target / name, folder)
    manifest = (target / "manifest.json").read_text("utf-8")
    (folder / "manifest.json").write_text(_LINK_TO_PAGE.sub(r"](../\1.html", manifest), "utf-8")


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    build_pages(target / "site")
    add_dbt_docs(target, target / "site" / "dbt")
