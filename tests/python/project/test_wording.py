"""Texts are plain technical English: pages and comments avoid the patterns in rejected_words.csv."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import PROJECT_DIR

PATTERNS = Path(__file__).parent / "rejected_words.csv"
# Findings by suffix or name; never raise a number. The two in Python are source names in a test, which look like a
# docstring.
SUFFIXES = (".md", ".yml", ".sql", ".py", ".toml", ".sh", ".java", ".csv", ".html", "Makefile", "Dockerfile")
MOST_FINDINGS = dict.fromkeys(SUFFIXES, 0) | {".py": 2}
CODE_BLOCK = re.compile(r"^[ ]*```.*?^[ ]*```$", re.DOTALL | re.MULTILINE)
INLINE_CODE = re.compile(r"`[^`\n]*`|\]\([^)\s]*\)")
COMMENTS = {
    ".md": re.compile(r"(?s).*"),
    ".yml": re.compile(r"#[^\n]*|(?:description|summary): *(?:>-?|\|)?(?:[^\n]*\n)(?: {6,}[^\n]*\n)*"),
    ".sql": re.compile(r"\{#.*?#\}|--[^\n]*", re.DOTALL),
    ".py": re.compile(r'"""(?s:.*?)"""|(?<!["\'\w])# [^\n]*'),
    ".toml": re.compile(r'(?m)^#[^\n]*|description = "[^\n]*'),
    ".sh": re.compile(r'(?m)^ *#[^\n]*|"[^"$]*"'),
    ".java": re.compile(r"(?s)/\*.*?\*/|//[^\n]*"),
    ".csv": re.compile(r"(?s).*"),
    ".html": re.compile(r"(?s).*"),
    "Makefile": re.compile(r"#[^\n]*"),
    "Dockerfile": re.compile(r"(?m)^#[^\n]*"),
}


@cache
def rejected() -> list[tuple[re.Pattern[str], str]]:
    """Return each pattern with the words to write instead."""
    with PATTERNS.open(encoding="utf-8") as file:
        return [(re.compile(row["pattern"], re.IGNORECASE), row["write instead"]) for row in csv.DictReader(file)]


def prose(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    """Yield the number of each line and its words: of code only comments, without names in backticks and links."""
    blank = re.sub(r"[^\n]", " ", text)
    kept = list(blank)
    for found in COMMENTS[suffix].finditer(text):
        kept[found.start() : found.end()] = found[0]
    shown = CODE_BLOCK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), "".join(kept))
    yield from enumerate(INLINE_CODE.sub(" ", shown).split("\n"), 1)


def findings(path: str, text: str) -> list[str]:
    """Return each rejected word of a text: its place, the word, and what to write."""
    return [
        f"{path}:{number}: {found[0]!r}; write: {instead}"
        for number, line in prose(text, Path(path).suffix or Path(path).name)
        for pattern, instead in rejected()
        for found in pattern.finditer(line)
    ]


def texts(suffix: str) -> Iterator[tuple[str, str]]:
    """Yield the files of git with a suffix, or with a name: path and text."""
    command = ["git", "ls-files", f"*{suffix}"]
    listed = subprocess.run(command, cwd=PROJECT_DIR, capture_output=True, text=True, check=True).stdout
    for path in listed.splitlines():
        if (PROJECT_DIR / path).is_file() and not path.endswith((Path(__file__).name, PATTERNS.name)):
            yield path, (PROJECT_DIR / path).read_text("utf-8", errors="replace")


@pytest.mark.parametrize("suffix", MOST_FINDINGS)
def test_texts_have_no_rejected_words(suffix: str) -> None:
    found = [finding for path, text in texts(suffix) for finding in findings(path, text)]
    assert len(found) <= MOST_FINDINGS[suffix], "\n".join([f"{len(found)} rejected words:", *found])


def test_every_pattern_has_its_remedy() -> None:
    assert all(pattern.pattern and instead for pattern, instead in rejected())
    with PATTERNS.open(encoding="utf-8") as file:
        assert {len(row) for row in csv.reader(file)} == {2}, "a pattern with a comma needs quotation marks"


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.md", "The build tells it.\n\nRows that lie behind it.\n", [1, 3]),
        ("a.md", "```sh\n# put files together\n```\nSee `tell_tests`, behind a firewall, a standalone server.\n", []),
        ("a.yml", "name: told\ndescription: What is kept\n", [2]),
        ("a.sql", "select told from beside -- of what is new\n{#- made anew #}\n", [1, 1, 2]),
        ("a.py", 'behind = "stands"  # Nobody wants it.\n"""Goes along."""\n', [1, 1, 2]),
        ("a.toml", 'told = "stands"\n# `make lock` writes it anew.\n', [2]),
        ("a.sh", '# Told.\necho "Nobody has $told"\n', [1]),
        ("a.java", "String told; // stands alone\n/** What is\n * new. Put it together. */\n", [1, 1, 3]),
        ("Makefile", "told: ## Tell it\n\t@echo told\n", [1]),
    ],
)
def test_rejected_words_are_found_in_prose_only(path: str, text: str, lines: list[int]) -> None:
    assert [int(finding.split(":")[1]) for finding in findings(path, text)] == lines
