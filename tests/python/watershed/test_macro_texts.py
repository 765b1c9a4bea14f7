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
    replay, _ = macro("build/replay.sql", lambda _: table({"count": 0}), load_relation=lambda _: None)
    with pytest.raises(CompilerError) as refused:
        replay(**arguments)
    assert expected in str(refused.value)


@pytest.mark.parametrize(("count", "expected"), [(1, "1 message is"), (22, "22 messages are")])
def test_replay_counts_messages_as_people_do(count: int, expected: str) -> None:
    replay, told = macro("build/replay.sql", lambda _: table({"count": count}), load_relation=lambda name: name)
    replay(source_name="bus")
    assert told == [f"{expected} read again by the next build (dbt build)."]


def test_replay_leaves_unrecorded_appends_to_a_later_one() -> None:
    statements: list[str] = []
    replay, _ = macro(
        "build/replay.sql", lambda sql: statements.append(sql) or table({"count": 6}), load_relation=lambda name: name
    )
    replay(source_name="bus")
    counting, correct, forget = statements[1:]
    for statement in (counting, correct, forget):
        assert "outcome = 'quarantined' and source_name = 'bus' and append_number <= 6" in statement


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


def test_a_table_that_no_full_refresh_rebuilds_is_dropped() -> None:
    given = events_table(["change_id"]) | {"config": {"full_refresh": False}}
    check_table_columns, _ = macro("build/check_table_columns.sql", lambda _: table(), **given)
    with pytest.raises(CompilerError, match=r"Rebuild it: drop it, then dbt run --select events$"):
        check_table_columns()


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
    assert manifest_step(recorded, first, last, new) == expected


def test_a_full_refresh_that_leaves_events_empty_empties_the_manifest() -> None:
    """Else all batches would count as read: after --empty, or without messages."""
    assert manifest_step(3, 0, 0, 0, full_refresh=True) == ("rebuild", 0, 0, 0)


def test_a_full_refresh_replaces_records_of_a_concurrent_build() -> None:
    assert manifest_step(3, 3, 3, 7, full_refresh=True) == ("rebuild", 7, 0, 3)
    # Of the manifest only: a replay deleted the last append.
    assert manifest_step(3, 2, 2, 7, full_refresh=True) == ("skip", 0, 3, 2)


def manifest_step(recorded: int, first: int, last: int, new: int, *, full_refresh: bool = False) -> tuple[object, ...]:
    found = {"first": first, "last": last, "events": new, "recorded": recorded}
    answers = {"min(append": found, "count(*)": {"events": new}}

    def run_query(query: str) -> SimpleNamespace:
        return table(next(answer for part, answer in answers.items() if part in query))

    steps: list[dict[str, object]] = []
    flags = SimpleNamespace(WHICH="build", FULL_REFRESH=full_refresh)
    given = {"this": "own", "flags": flags, "can_continue": lambda: True, "return": steps.append}
    new_appends, _ = macro("build/new_appends.sql", run_query, **given)
    new_appends()
    (step,) = steps
    return tuple(step[name] for name in ("action", "rows", "since", "append"))


@pytest.mark.parametrize("can_continue", [True, False])
def test_a_rebuild_of_row_states_folds_all_appends_and_keeps_the_clock(can_continue: bool) -> None:
    asked: list[str] = []

    def run_query(query: str) -> SimpleNamespace:
        asked.append(query)
        if "from own" in query:
            return table({"since": 4, "changed_at": 1767312001000000})
        counts = {"first_append": 1, "last_append": 5, "changes": 9, "partial_key_updates": 0, "related_changes": 9}
        return table({"source_name": "shop", "table_name": "orders"} | counts)

    steps: list[dict[str, object]] = []
    given = {
        "this": "own",
        "flags": SimpleNamespace(WHICH="build"),
        "can_continue": lambda: can_continue,
        "load_cached_relation": lambda relation: relation,
        "is_own_table": lambda _: True,
        "return": steps.append,
    }
    changes_to_fold, _ = macro("build/changes_to_fold.sql", run_query, **given)
    changes_to_fold()
    assert [(step["action"], step["since"], step["append"], step["changed_at"]) for step in steps] == [
        ("merge", 4, 5, 1767312001000000) if can_continue else ("rebuild", 0, 5, 1767312001000000)
    ]
    assert f"append_number > {4 if can_continue else 0})" in asked[-1]


@pytest.mark.parametrize(
    ("can_continue", "is_built", "expected"),
    [
        (True, True, 3),
        # The newest append of a killed build is not in the manifest; its number is not given again.
        (False, True, 4),
        (False, False, 3),
    ],
)
def test_a_full_refresh_of_events_continues_the_numbers(can_continue: bool, is_built: bool, expected: int) -> None:
    def run_query(query: str) -> SimpleNamespace:
        if "from events" in query:
            assert not can_continue, "a question of a rebuild"
            return table({"since": 4})
        return table({"since": 3, "events": 20}) if "from appends" in query else table()

    class Relation(str):
        def incorporate(self, path: dict[str, str]) -> Relation:
            return Relation(path["identifier"])

    plans: list[dict[str, object]] = []
    given = {
        "this": Relation("events"),
        "flags": SimpleNamespace(WHICH="build"),
        "can_continue": lambda: can_continue,
        "load_cached_relation": lambda relation: relation,
        "is_own_table": lambda relation: is_built or relation == "appends",
        "formats_with": lambda: ["oms_canal"],
        "unread_messages": lambda since, is_rebuild: f"{since}, {is_rebuild}",
        "var": lambda _: 50000,
        "return": plans.append,
    }
    batches_to_read, _ = macro("build/batches_to_read.sql", run_query, **given)
    batches_to_read()
    assert [plan["since"] for plan in plans] == [expected]


def result(name: str, kind: str, status: str, message: str = "") -> SimpleNamespace:
    node = SimpleNamespace(unique_id=f"{kind}.watershed.{name}", name=name, resource_type=kind)
    return SimpleNamespace(node=node, status=status, message=message)


def snapshot(name: str) -> SimpleNamespace:
    config = {"materialized": "incremental_table", "meta": {"snapshot_of": ["shop", name]}}
    return SimpleNamespace(unique_id=f"model.watershed.{name}", name=name, config=Config(config))


class Config(dict[str, Any]):
    """The config of a node: its settings by name and as attributes."""

    __getattr__ = dict.__getitem__


def test_the_end_of_a_build_names_what_it_found_and_left_out() -> None:
    nodes = {name: snapshot(name) for name in ("s1", "s2")}
    nodes["events"] = SimpleNamespace(**vars(snapshot("events")) | {"config": Config(materialized="view")})
    next_steps, told = macro("check/next_steps.sql", lambda _: table(), graph=SimpleNamespace(nodes=nodes))
    failed = [result("t1", "test", "fail"), result("seed", "seed", "error"), result("t2", "test", "pass")]
    next_steps([*failed, result("row_states", "model", "success", "OK"), result("s2", "model", "error")])
    next_steps([result("row_states", "model", "success", "OK nothing new"), *failed[2:]])
    next_steps([result("row_states", "model", "error", "OK")])
    assert told == [
        "2 tests or seeds failed or warned (t1, seed). Sources, examples and remedies: watershed findings\n"
        "WARN typed snapshots: 1 of them were not part of this run and are older than current_rows (s1).\n"
        "    .venv/bin/dbt build --selector increment_typed"
    ]


def test_the_end_of_a_build_is_parsed_without_results_and_graph() -> None:
    next_steps, told = macro("check/next_steps.sql", lambda _: table(), graph={}, execute=False)
    next_steps(jinja2.Undefined())
    assert told == []


@pytest.mark.parametrize(("every", "appends"), [(20, [20, 40]), (1, [*range(1, 41)]), (0, [])])
def test_files_are_compacted_with_every_so_many_appends_or_never(every: int, appends: list[int]) -> None:
    compacted: list[int] = []

    def run_query(query: str) -> SimpleNamespace:
        assert query == "optimize watershed.events"
        compacted.append(number)
        return table()

    given = {"var": lambda _: every, "this": "watershed.events", "config": {"file_format": "delta"}}
    compact_files, _ = macro("file_format/compact_files.sql", run_query, **given)
    for number in range(1, 41):
        compact_files(SimpleNamespace(since=number - 1, append=number))
    assert compacted == appends


DESCRIBED = {
    "a`b": {"name": "a`b", "description": "it's C:\\ "},
    "plain": {"name": "plain", "description": ""},
}
"""Columns as dbt gives them to a macro."""


def described_macro(file: str, run_query: Callable[[str], SimpleNamespace]) -> Any:  # noqa: ANN401
    """Return a macro with those of names and texts, on a model with DESCRIBED."""
    config = SimpleNamespace(persist_column_docs=lambda: True, persist_relation_docs=lambda: True)
    given: dict[str, Any] = {"config": config, "model": {"columns": DESCRIBED, "description": "C:\\"}}
    given["definition_hash"] = lambda sql: "hash"
    for other in ("dbt/spark__escape_single_quotes", "text/sql_text", "text/identifier", "dbt/spark__comment_clause"):
        given[other.partition("/")[2]], _ = macro(f"{other}.sql", run_query, **given)
    return macro(file, run_query, comment_clause=given.get("spark__comment_clause"), **given)[0]


def test_comments_of_a_view_may_have_any_text_and_its_columns_any_name() -> None:
    create_view_as = described_macro("dbt/spark__create_view_as.sql", lambda _: table())
    assert " ".join(create_view_as("v", "select 1").split()) == (
        r"create or replace view v (`a``b` comment 'it\'s C:\\ ', `plain`) comment 'C:\\' "
        "tblproperties ('watershed.definition_hash' = 'hash') as "
        "select `a``b`, `plain`, * except (`a``b`, `plain`) from ( select 1 )"
    )


def test_comments_of_columns_may_have_any_text_and_any_name() -> None:
    sent: list[str] = []

    def run_query(query: str) -> Any:  # noqa: ANN401 - a table of agate, of which rows are read
        sent.append(query)
        return [("a`b", "int", ""), ("plain", "int", ""), ("other", "int", "")]

    persist_docs = described_macro("dbt/spark__persist_docs.sql", run_query)
    persist_docs("t", {"columns": DESCRIBED}, True, True)
    assert sent[1:] == [r"alter table t alter column `a``b` comment 'it\'s C:\\'"]


def events_table(found: list[str]) -> dict[str, object]:
    """Return dbt's view of a model with three columns, and of its table."""
    columns = [SimpleNamespace(name=name) for name in found]
    return {
        "this": "watershed.events",
        "config": {},
        "model": SimpleNamespace(name="events", columns={"change_id": {}, "offset": {}, "outcome": {}}),
        "adapter": SimpleNamespace(get_columns_in_relation=lambda relation: columns),
    }
