"""Macros that return an expression are linted as the SQL that they render, because sqlfluff skips their definitions."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import PROJECT_DIR
from sqlfluff.core import FluffConfig, Linter

EXPRESSIONS = ("change", "json", "lindorm", "row", "text", "types")
"""The folders of macros whose macros return an expression or a select list."""
ARGUMENTS: dict[str, dict[str, Any]] = {
    "reason": {"code": "missing_image", "detail": "payload.after"},
    "json_members": {"members": {"a": "x.a", "b": ["x.b", "object"]}},
    "named_members": {"members": {"a": "x.a", "b": ["x.b", "object"]}},
    "enveloped_json_members": {"members": {"a": "x.a", "b": ["x.b", "object"]}},
    "enveloped_members": {"members": {"a": "x.a", "b": ["x.b", "object"]}},
    "identifier": {"column": {"name": "column"}},
}
"""Arguments that are not the SQL of a value."""
COLUMNS: dict[str, set[str]] = {
    # Position is part of every order, under the names of the landing table.
    "change_order": {"topic", "partition", "offset", "event_index"},
    "named_members": {"opened"},
    "enveloped_members": {"opened"},
    "identifier": {"`column`"},
}
"""Columns that a macro may read although they are not among its arguments."""
LINTER = Linter(FluffConfig.from_path(str(PROJECT_DIR)))
RENDERED = Linter(
    FluffConfig.from_path(
        str(PROJECT_DIR),
        # Layout depends on the length of the arguments; the files themselves are checked for it below. A field of Kafka
        # Connect's schema has dots in its name.
        overrides={
            "templater": "raw",
            "exclude_rules": f"{LINTER.config.get('exclude_rules')},layout,aliasing,references.special_chars",
        },
    )
)


def macros() -> list[dict[str, Any]]:
    """Return the macros of EXPRESSIONS as their YAML describes them."""
    described = []
    for folder in EXPRESSIONS:
        file = PROJECT_DIR / "macros" / folder / f"_{folder}__macros.yml"
        described += yaml.safe_load(file.read_text(encoding="utf-8"))["macros"]
    return described


MACROS = {str(macro["name"]): macro for macro in macros()}


def sample_argument(argument: dict[str, str]) -> str | list[str]:
    """Return the name of an argument as SQL, or a list with it."""
    return [argument["name"]] if argument["type"].startswith("list") else argument["name"]


@functools.cache
def rendered(name: str) -> str:
    """Return a query of a rendered macro with its arguments as columns."""
    macro = MACROS[name]
    given = {argument["name"]: sample_argument(argument) for argument in macro.get("arguments", [])}
    given |= ARGUMENTS.get(name, {})
    call = ", ".join(f"{argument}={value!r}" for argument, value in given.items())
    query = f"select\n    {{{{ {name}({call}) | indent(4) }}}}\nfrom given\n"
    variants = LINTER.render_string(query, "call.sql", LINTER.config, "utf8").templated_variants
    return str(variants[0])


@pytest.mark.parametrize("name", MACROS)
def test_macro_renders_clean_sql(name: str) -> None:
    found = RENDERED.lint_string(rendered(name)).get_violations()
    assert [f"line {each.line_no}: {each.rule_code()} {each.desc()}" for each in found] == []


@pytest.mark.parametrize("name", MACROS)
def test_macro_reads_only_its_arguments(name: str) -> None:
    tree = RENDERED.parse_string(rendered(name)).tree
    assert tree is not None
    columns = {each.raw.split(".")[0].split("[")[0] for each in tree.recursive_crawl("column_reference")}
    given = {argument["name"] for argument in MACROS[name].get("arguments", [])} | COLUMNS.get(name, set())
    lambdas = set(re.findall(r"(\w+) ->|\((\w+), (\w+)\) ->", tree.raw))
    assert columns - given - {name for names in lambdas for name in names} == set()


@pytest.mark.parametrize(
    "file",
    sorted((PROJECT_DIR / "macros").rglob("*.sql")),
    ids=lambda file: f"{file.parent.name}/{file.stem}",
)
def test_macro_file_is_tidy(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert text.endswith("\n")
    assert [n for n, line in enumerate(lines, 1) if len(line) > 120 or line != line.rstrip() or "\t" in line] == []
