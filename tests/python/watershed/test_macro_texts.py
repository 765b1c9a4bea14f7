"""What run-operations and the end of a build say to a person: the macros as dbt renders them, without a server."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
from conftest import PROJECT_DIR


class CompilerError(Exception):
    """What dbt raises for `exceptions.raise_compiler_error`."""


def refuse(text: str) -> None:
    raise CompilerError(text)


class Row(dict[str, Any]):
    """A row of agate: its cells by name and by place."""

    def __getitem__(self, name: str | int) -> Any:  # noqa: ANN401
        return list(super().values())[name] if isinstance(name, int) else super().__getitem__(name)

    def values(self) -> list[Any]:  # type: ignore[override]
        return list(super().values())


def table(*rows: dict[str, Any]) -> SimpleNamespace:
    """Return what run_query gives."""
    made = [Row(row) for row in rows]
    columns = [
        SimpleNamespace(values=lambda at=at: [row[at] for row in made]) for at in range(len(rows[0]) if rows else 0)
    ]
    return SimpleNamespace(rows=made, columns=columns)


def macro(file: str, run_query: Callable[[str], SimpleNamespace], **given: object) -> tuple[Any, list[str]]:
    """Return a macro as dbt has it, and the list that takes what it tells."""
    told: list[str] = []
    made = jinja2.Environment(extensions=["jinja2.ext.do"])
    made.globals |= {
        "execute": True,
        "exceptions": SimpleNamespace(raise_compiler_error=refuse),
        "sql_text": lambda text: f"'{text}'",
        "ref": lambda name: f"watershed.{name}",
        "run_query": run_query,
        "return": lambda value: value,
        "log": lambda text, info: told.append(text),
        "env_var": lambda name, default: default,
        "zip": zip,
        "target": SimpleNamespace(schema="watershed"),
        "left_out_snapshots": lambda results: "",
        **given,
    }
    path = PROJECT_DIR / "macros" / file
    return getattr(made.from_string(path.read_text()).module, path.stem), told


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {},
            "expected reason_code, source_name, batch_id or several of them, found none. Try: dbt run-operation replay",
        ),
        (
            {"reason_code": "avro_unknown_schem"},
            "no quarantined message has reason_code = 'avro_unknown_schem'. Look at: select source_name, reason_code, "
            "batch_id, count(*) from watershed.quarantine group by all",
        ),
        (
            {"source_name": "bus", "reason_cod": "avro_unknown_schema"},
            "expected reason_code, source_name, batch_id or several of them, found reason_cod. Try: dbt run-operation",
        ),
    ],
)
def test_replay_says_what_it_takes_and_where_to_look(arguments: dict[str, str], expected: str) -> None:
    replay, _ = macro("event/replay.sql", lambda _: table({"count": 0}))
    with pytest.raises(CompilerError) as refused:
        replay(**arguments)
    assert expected in str(refused.value)


@pytest.mark.parametrize(("count", "expected"), [(1, "1 message is"), (22, "22 messages are")])
def test_replay_counts_messages_as_people_do(count: int, expected: str) -> None:
    replay, told = macro("event/replay.sql", lambda _: table({"count": count}), load_relation=lambda name: name)
    replay(source_name="bus")
    assert told == [f"{expected} read again by the next build (dbt build)."]


def result(status: str, name: str, description: str = "", kind: str = "test") -> SimpleNamespace:
    node = SimpleNamespace(
        resource_type=kind,
        name=name,
        description=description,
        original_file_path="tests/t.sql",
        compiled_code="select 1",
    )
    return SimpleNamespace(status=status, node=node)


ANSWERS = {
    "describe query": [
        {"name": name}
        for name in ("source_name", "reason_code", "reason_detail", "topic", "partition", "offset", "value")
    ],
    "select source_name": [
        {
            "source_name": "shop",
            "reason_code": "malformed_json",
            "count": 22,
            "place": "orders/0/17",
            "detail": "at byte 3",
        },
        {"source_name": "bank", "reason_code": "malformed_json", "count": 1, "place": "moves/1/4", "detail": None},
    ],
    "select reason_code": [{"reason_code": "malformed_json", "remedy": "Correct the writer."}],
}


def answer(query: str) -> SimpleNamespace:
    assert not re.search(r"\bvalue\b(?!s)", query.partition("from (select 1")[0]), "no payload is asked for"
    return table(*next(rows for start, rows in ANSWERS.items() if query.startswith(start)))


def test_the_end_of_a_build_names_source_reason_example_and_remedy() -> None:
    results = [
        result("warn", "quarantine_is_empty", "No message\nis in quarantine."),
        result("pass", "fine"),
        result("error", "changelog", kind="model"),
    ]
    tell_tests, told = macro("check/tell_tests.sql", answer)
    tell_tests(results)
    assert told == [
        "What was found:\n"
        "WARN quarantine_is_empty: No message is in quarantine.\n"
        "  shop, malformed_json, 22 found, such as orders/0/17 (at byte 3)\n"
        "  bank, malformed_json, 1 found, such as moves/1/4\n"
        "\n"
        "What to do about the reasons (watershed.quarantine has the messages):\n"
        "  malformed_json: Correct the writer."
    ]


def test_a_wrong_cell_of_a_seed_is_told_with_what_was_expected_and_what_to_do() -> None:
    problem = 'seeds/cdc_sources.csv, format: expected a format of dbt_project.yml, found "datahub_tupel"'
    remedy = "Correct seeds/cdc_sources.csv, then build again."
    cells = {"source_name": "shop", "problem": problem, "remedy": remedy, "count": 1, "place": None, "detail": None}

    def query(text: str) -> SimpleNamespace:
        return table(*({"name": name} for name in list(cells)[:3])) if text.startswith("describe") else table(cells)

    tell_tests, told = macro("check/tell_tests.sql", query)
    tell_tests([result("fail", "assert_configuration_can_be_used", "Every cell is as it must be.")])
    assert told == [
        "What was found:\n"
        "FAIL assert_configuration_can_be_used: Every cell is as it must be.\n"
        f"  shop, {problem}\n"
        f"    {remedy}"
    ]


def test_where_all_tests_pass_a_build_tells_nothing_and_samples_are_told_as_such() -> None:
    tell_tests, told = macro("check/tell_tests.sql", answer)
    tell_tests([result("pass", "fine")])
    assert told == []
    tell_tests, told = macro("check/tell_tests.sql", answer, env_var=lambda *_: "1")
    tell_tests([result("fail", "t")])
    assert "FAIL t: see tests/t.sql" in told[0]
    assert told[0].endswith("The samples hold broken messages on purpose: warnings about them are expected.")


@pytest.mark.parametrize(
    ("found", "lacks", "beside"),
    [
        (["change_id", "offset"], "outcome", "nothing"),
        (["change_id", "offset", "outcome", "scope", "part"], "nothing", "scope, part"),
        (["part", "change_id"], "offset, outcome", "part"),
    ],
)
def test_a_table_of_another_version_stops_the_build_with_its_columns(found: list[str], lacks: str, beside: str) -> None:
    check_table_columns, _ = macro("spark/check_table_columns.sql", lambda _: table(), **events_table(found))
    with pytest.raises(CompilerError) as refused:
        check_table_columns()
    assert str(refused.value) == (
        f"watershed.events does not match the model: missing {lacks}, unexpected {beside}. "
        "Rebuild it: dbt build --full-refresh --select events+"
    )


def test_a_table_with_the_columns_of_its_model_is_taken_in_any_order() -> None:
    given = events_table(["outcome", "change_id", "offset"])
    check_table_columns, _ = macro("spark/check_table_columns.sql", lambda _: table(), **given)
    assert check_table_columns().strip() == ""


def events_table(found: list[str]) -> dict[str, object]:
    """Return what dbt knows of a model with three columns, and of its table."""
    columns = [SimpleNamespace(name=name) for name in found]
    return {
        "this": "watershed.events",
        "model": SimpleNamespace(name="events", columns={"change_id": {}, "offset": {}, "outcome": {}}),
        "adapter": SimpleNamespace(get_columns_in_relation=lambda relation: columns),
    }
