"""Output of run-operations and of the end of a build: the rendered macros, without a server."""

from __future__ import annotations

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
    """Return the result of run_query."""
    made = [Row(row) for row in rows]
    columns = [
        SimpleNamespace(values=lambda at=at: [row[at] for row in made]) for at in range(len(rows[0]) if rows else 0)
    ]
    return SimpleNamespace(rows=made, columns=columns)


def macro(file: str, run_query: Callable[[str], SimpleNamespace], **given: object) -> tuple[Any, list[str]]:
    """Return a macro in dbt's context, and the list of its messages."""
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
        "is_same_message": lambda one, other: f"{one}.offset <=> {other}.offset",
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
def test_replay_states_what_it_takes_and_where_to_look(arguments: dict[str, str], expected: str) -> None:
    replay, _ = macro("build/replay.sql", lambda _: table({"count": 0}))
    with pytest.raises(CompilerError) as refused:
        replay(**arguments)
    assert expected in str(refused.value)


@pytest.mark.parametrize(("count", "expected"), [(1, "1 message is"), (22, "22 messages are")])
def test_replay_counts_messages_as_people_do(count: int, expected: str) -> None:
    replay, told = macro("build/replay.sql", lambda _: table({"count": count}), load_relation=lambda name: name)
    replay(source_name="bus")
    assert told == [f"{expected} read again by the next build (dbt build)."]


@pytest.mark.parametrize(
    ("found", "lacks", "beside"),
    [
        (["change_id", "offset"], "outcome", "nothing"),
        (["change_id", "offset", "outcome", "scope", "part"], "nothing", "scope, part"),
        (["part", "change_id"], "offset, outcome", "part"),
    ],
)
def test_a_table_of_another_version_stops_the_build_with_its_columns(found: list[str], lacks: str, beside: str) -> None:
    check_table_columns, _ = macro("build/check_table_columns.sql", lambda _: table(), **events_table(found))
    with pytest.raises(CompilerError) as refused:
        check_table_columns()
    assert str(refused.value) == (
        f"watershed.events does not match the model: missing {lacks}, unexpected {beside}. "
        "Rebuild it: dbt build --full-refresh --select events+"
    )


def test_a_table_with_the_columns_of_its_model_is_taken_in_any_order() -> None:
    given = events_table(["outcome", "change_id", "offset"])
    check_table_columns, _ = macro("build/check_table_columns.sql", lambda _: table(), **given)
    assert check_table_columns().strip() == ""


@pytest.mark.parametrize(
    ("recorded", "first", "last", "new", "expected"),
    [
        (0, 1, 2, 5, ("append", 5, 0, 2)),
        (2, 1, 2, 0, ("skip", 0, 2, 2)),
        (2, 1, 4, 5, ("append", 5, 2, 4)),
        # A full refresh of events continues the numbers.
        (2, 3, 3, 7, ("rebuild", 7, 0, 3)),
        # A replay deleted the last append: its number is not given again.
        (3, 1, 2, 0, ("skip", 0, 3, 2)),
        (3, 0, 0, 0, ("skip", 0, 3, 0)),
    ],
)
def test_the_manifest_records_the_appends_after_its_own(
    recorded: int, first: int, last: int, new: int, expected: tuple[str, int, int, int]
) -> None:
    answers = {"min(append": {"first": first, "last": last, "recorded": recorded}, "count(*)": {"events": new}}

    def run_query(query: str) -> SimpleNamespace:
        return table(next(answer for part, answer in answers.items() if part in query))

    steps: list[dict[str, object]] = []
    flags = SimpleNamespace(WHICH="build")
    given = {"this": "own", "flags": flags, "can_continue": lambda: True, "return": steps.append}
    new_appends, _ = macro("build/new_appends.sql", run_query, **given)
    new_appends()
    assert steps == [dict(zip(("action", "rows", "since", "append"), expected, strict=True))]


def events_table(found: list[str]) -> dict[str, object]:
    """Return dbt's view of a model with three columns, and of its table."""
    columns = [SimpleNamespace(name=name) for name in found]
    return {
        "this": "watershed.events",
        "model": SimpleNamespace(name="events", columns={"change_id": {}, "offset": {}, "outcome": {}}),
        "adapter": SimpleNamespace(get_columns_in_relation=lambda relation: columns),
    }
