"""`watershed findings`: findings of the tests and seeds of the last build, with sources, examples and remedies."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyhive import hive

from watershed.errors import WatershedError
from watershed.health.build_results import NoResults, read_results
from watershed.home import find_home, find_project_dir, target_dir
from watershed.server.client import configured_schema, literal, quote, run
from watershed.server.connection import connect_to
from watershed.sources import SWITCH

SHOWN = ("source_name", "table_name", "reason_code", "failed_column", "problem", "remedy", "difference")
"""Columns of a test by which its rows are grouped; values of messages are never printed."""
MOST_GROUPS = 10
_LONGEST_MESSAGE = 500
_LONG_LINE = re.compile(r"Row ([0-9]+) has ([0-9]+) values, but Table only has ([0-9]+) columns")


def findings() -> None:
    """Print the findings of the last build of this project.

    Raises:
        WatershedError: no build has run here, or no server answers.
    """
    project_dir = find_project_dir()
    with connect_to(find_home(project_dir)) as cursor:
        print(found_by(cursor, project_dir))


def found_by(cursor: hive.Cursor, project_dir: Path) -> str:
    """Return the findings of the last build as text."""
    built = read_results(project_dir)
    if isinstance(built, NoResults):
        raise WatershedError(built.reason, "Run dbt build first.")
    target = target_dir(project_dir)
    results = json.loads((target / "run_results.json").read_text("utf-8"))["results"]
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    nodes = {**manifest["nodes"], **manifest.get("unit_tests", {})}
    lines: list[str] = []
    reasons: dict[str, None] = {}
    for result in results:
        node = nodes.get(result["unique_id"], {})
        kind, status = node.get("resource_type"), result["status"]
        if (kind in ("seed", "test") and status == "error") or (kind == "unit_test" and status in ("error", "fail")):
            lines += [f"\n{status.upper()} {node['name']}: {_problem(result, node)}"]
        if kind == "test" and status in ("fail", "warn"):
            rule = " ".join((node.get("description") or "").split()) or f"see {node['original_file_path']}"
            lines += [f"\n{status.upper()} {node['name']}: {rule}"]
            lines += _groups(cursor, result.get("compiled_code") or node["compiled_code"], reasons)
    if reasons:
        lines += [f"\nWhat to do about the reasons ({configured_schema()}.quarantine has the messages):"]
        listed = ", ".join(map(literal, reasons))
        table = f"{quote(configured_schema())}.reason_codes"
        query = f"select reason_code, remedy from {table} where reason_code in ({listed})"
        lines += [f"  {code}: {remedy}" for code, remedy in run(cursor, query)[1]]
    if lines and os.environ.get(SWITCH):
        lines += ["\nThe samples have broken messages and tables without a key on purpose: warnings are expected."]
    if not lines and built.failed:
        return f"The last build (dbt {built.command}) failed in {', '.join(one.name for one in built.failed)}."
    if not lines and not built.has_tests:
        return f"The last build (dbt {built.command}) ran no tests. Run them: .venv/bin/dbt test."
    if not lines:
        return "All tests and seeds of the last build passed."
    return "\n".join(["Findings of the last build:", *lines]).replace(":\n\n", ":\n", 1)


def _problem(result: Mapping[str, Any], node: Mapping[str, Any]) -> str:
    """Return dbt's message; for a seed with a cell too many, of which dbt only counts the rows, its file and line."""
    message = " ".join((result.get("message") or "").split())
    found = _LONG_LINE.search(message)
    if found is None:
        return message[:_LONGEST_MESSAGE] or f"see {node['original_file_path']}"
    row, cells, columns = found.groups()
    return (
        f"{node['original_file_path']}:{int(row) + 2}: expected {columns} cells, found {cells}. Quote a cell that "
        "contains a comma; correct the line, then build again."
    )


def _groups(cursor: hive.Cursor, query: str, reasons: dict[str, None]) -> Iterator[str]:
    """Yield the rows that a test found, grouped by source and reason; the reasons are added to the given ones."""
    columns = [name for name, *_ in run(cursor, f"describe query select * from ({query}\n)")[1]]
    groups = [name for name in columns if name in SHOWN]
    place = "topic || '/' || partition || '/' || offset" if "offset" in columns else "cast(null as string)"
    detail = "reason_detail" if "reason_detail" in columns else "cast(null as string)"
    selected = ", ".join([*groups, "count(*)", f"min({place})", f"min_by({detail}, {place})"])
    grouped = ", ".join(groups) or "true"
    limit = MOST_GROUPS + 1
    rows = run(cursor, f"select {selected} from ({query}\n) group by {grouped} order by all limit {limit}")[1]
    for *cells, count, example, reason in rows[:MOST_GROUPS]:
        named = {name: cell for name, cell in zip(groups, cells, strict=True) if cell is not None}
        remedy = named.pop("remedy", None)
        shown = [str(cell) for cell in named.values()]
        if count > 1 or example is not None:
            shown.append(f"{count:,} found" + (f", such as {example}" if example is not None else ""))
        yield "  " + ", ".join(shown) + (f" ({reason})" if reason is not None else "")
        if remedy:
            yield f"    {remedy}"
        if named.get("reason_code"):
            reasons[named["reason_code"]] = None
    if len(rows) > MOST_GROUPS:
        yield "  and more"
