"""What pages and descriptions name is there: links, files, models, macros, columns, tests."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from conftest import PROJECT_DIR

# Pages about history: names in them may no longer exist.
HISTORY = ("CHANGELOG.md", "docs/decisions/")
# Names of other people's programs, and made-up ones.
OTHERS = {
    "a_b",
    "b_c",
    "binlog_row_image",
    "get_table_names",
    "order_x20_items",
    "post_hook",
    "read_sql",
    "read_sql_query",
    "watershed_staging",
}
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)|^\[[^\]]+\]: ([^#\s]+)", re.MULTILINE)
QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NAME = re.compile(r"[a-z]+[0-9]*(?:_[a-z0-9]+)+")
FILE = re.compile(r"(?:\.\./)*\w[\w./-]*\.(?:py|sql|md|yml|csv|json)")


@cache
def texts() -> dict[str, str]:
    """Return the text of each file of the project, by its path."""
    listed = subprocess.run(["git", "ls-files"], cwd=PROJECT_DIR, capture_output=True, text=True, check=True).stdout
    paths = [path for path in listed.splitlines() if (PROJECT_DIR / path).is_file() and not path.endswith(".lock")]
    return {path: (PROJECT_DIR / path).read_text(encoding="utf-8", errors="replace") for path in paths}


@cache
def known() -> set[str]:
    """Return the words of everything but pages and descriptions, and the names of files."""
    tellers = (".md", Path(__file__).name)
    code = [re.sub(r"`[^`\n]*`", "", text) for path, text in texts().items() if not path.endswith(tellers)]
    return {word for text in code for word in re.findall(r"\w+", text)} | {Path(path).stem for path in texts()}


def missing(path: str, text: str) -> list[str]:
    """Return the names in a text that do not exist."""
    gone = [
        link
        for found in LINK.findall(text)
        if not (link := found[0] or found[1]).startswith(("http:", "https:", "#"))
        and path.endswith(".md")
        and not (PROJECT_DIR / path).parent.joinpath(link).exists()
    ]
    if path.startswith(HISTORY):
        return gone
    for name in QUOTED.findall(text):
        if (NAME.fullmatch(name) and name not in known() | OTHERS) or (
            FILE.fullmatch(name) and not any(f"/{one}".endswith(f"/{name.lstrip('./')}") for one in texts())
        ):
            gone.append(name)
    return gone


@pytest.mark.parametrize("kind", [".md", ".yml"])
def test_names_in_pages_and_descriptions_exist(kind: str) -> None:
    gone = {path: names for path, text in texts().items() if path.endswith(kind) and (names := missing(path, text))}
    assert gone == {}, "nothing has these names any more: put the sentences right, or list the name in OTHERS"


def test_messages_of_the_troubleshooting_page_exist() -> None:
    """Each part of a message between two dots is in the code, except for messages of dbt, Delta and the system."""
    others = {"Could not connect", "ConcurrentAppendException", "No space left on device"}
    page = texts()["docs/troubleshooting.md"]
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")][1:]
    quoted = {part.strip() for cell in cells for text in QUOTED.findall(cell) for part in text.split("..")}
    kinds = ("watershed/", "macros/", "seeds/")
    code = " ".join(" ".join(text.split()) for path, text in texts().items() if path.startswith(kinds))
    assert len(quoted) > 20
    assert {part for part in quoted - others if part not in code} == set()


def test_a_name_that_is_gone_is_found() -> None:
    text = (
        "`row_states` is told in [a page](README.md); `row_floors`, `old_macro.sql` and [another](no_page.md) are gone"
    )
    assert missing("README.md", text) == ["no_page.md", "row_floors", "old_macro.sql"]
