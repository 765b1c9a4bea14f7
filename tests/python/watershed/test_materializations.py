"""Which statements dbt sends for a node, by what stands there: dbt itself, on this project, beside a made-up Spark."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import PROJECT_DIR
from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.spark import SparkAdapter, SparkConnectionManager
from dbt.cli.main import dbtRunner, dbtRunnerResult
from dbt.contracts.graph.manifest import Manifest
from dbt_project import PARTS
from made_up_spark import Rows, Spark

from watershed.samples import lay_seeds
from watershed.sources import SWITCH

SNAPSHOT = "snapshot_datahub_blob__orders"
# What was appended to events, and the tables whose changes of key that may bear on.
APPENDS = "select source_name, format, database_name"
TOUCHED = {"select source_name, table_name from watershed.events": [{"source_name": "shop", "table_name": "orders"}]}
# The messages of landing beside the events of them.
COUNTED = "with counted as"
PLACE = {
    "source_name": "datahub_blob", "format": "datahub_blob", "database_name": "shop", "schema_name": None,
    "table_name": "orders", "events": 1, "part_at": 0, "emptied_at": 0,
}  # fmt: skip


def unread_batch(batch_id: str, messages: int = 1) -> dict[str, object]:
    """Return a batch of which no message was read; batches land in the order of their names."""
    place = {"format": "datahub_blob", "batch_id": batch_id, "source_name": "shop"}
    told = {"messages": messages, "events": 0, "landed_at": int(batch_id[1:]), "read_at": None}
    return {"is_unread": True, "last_batch_id": batch_id} | place | told


def read_batches(last_batch_id: str, messages: int = 1, events: int = 1) -> dict[str, object]:
    """Return all batches that were read."""
    batch = unread_batch(last_batch_id, messages)
    told = {"is_unread": False, "format": None, "batch_id": None, "source_name": None}
    return batch | told | {"events": events, "read_at": batch["landed_at"]}


def _opened(connection: Connection) -> Connection:
    connection.handle, connection.state = SimpleNamespace(close=lambda: None), ConnectionState.OPEN
    return connection


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("target")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the project, samples and all: their snapshots are what is built here."""
    folder = tmp_path_factory.mktemp("project")
    for part in (*PARTS, "samples"):
        copy = shutil.copytree if (PROJECT_DIR / part).is_dir() else shutil.copy
        copy(PROJECT_DIR / part, folder / part)
    lay_seeds(folder)
    return folder


@pytest.fixture(scope="module")
def manifest(folder: Path, target: Path) -> Manifest:
    """Parse the project once: all runs share its graph, in which runs leave notes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv(SWITCH, "1")
        patch.delenv("WATERSHED_SCHEMA", raising=False)
        done = dbtRunner().invoke(["parse", *_places(target)])
    assert done.success, done.exception
    return done.result


def _places(target: Path) -> list[str]:
    return ["--profiles-dir", "profiles", "--target-path", str(target), "--log-path", str(target), "--quiet"]


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch, target: Path) -> Spark:
    made = Spark(target)
    monkeypatch.setattr(SparkConnectionManager, "open", _opened)
    monkeypatch.setattr(SparkAdapter, "execute", lambda *given, **named: made.execute(*given, **named))
    monkeypatch.setattr(SparkAdapter, "list_relations_without_caching", lambda *given: made.list_relations(*given))
    monkeypatch.setattr(SparkAdapter, "list_schemas", lambda *_: ["watershed", "watershed_staging"])
    return made


@pytest.fixture
def invoke(
    spark: Spark, manifest: Manifest, folder: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dbtRunnerResult]:
    monkeypatch.chdir(folder)
    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.delenv("WATERSHED_SCHEMA", raising=False)
    return lambda *arguments, **options: dbtRunner(manifest, **options).invoke([*arguments, *_places(target)])


@pytest.fixture
def dbt(spark: Spark, invoke: Callable[..., dbtRunnerResult]) -> Callable[..., list[str]]:
    def run(*arguments: str) -> list[str]:
        spark.written.clear()
        done = invoke(*arguments)
        assert done.success, done.exception or [result.message for result in done.result]
        return [sql[:40] for sql in spark.written]

    return run


def appended(until: int, **others: str | int | None) -> Rows:
    """What events answers that has got one change of one table."""
    return [PLACE | {"until": until, "changed_at": until} | others]


def test_a_typed_snapshot_is_made_merged_or_left(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    run = ("run", "--select", SNAPSHOT)
    whole = f"create or replace table watershed.{SNAPSHOT}"[:40]
    merged = [f"merge into watershed.{SNAPSHOT} as standing"[:40], f"alter table watershed.{SNAPSHOT} set"[:40]]

    stands(spark, "row_states", "run 1")
    assert dbt(*run)[0] == whole
    assert dbt(*run) == [], "nothing appended"
    spark.answers = {APPENDS: appended(5000)} | spark.answers
    folds(spark, 5000)
    assert dbt(*run) == merged
    assert "appended_at > timestamp_micros(0 + 1000)" in spark.written[0]
    assert "current_rows as current_rows" not in spark.written[0]
    assert dbt(*run) == [], "what is known already"
    spark.answers[APPENDS] = appended(9000)
    folds(spark, 9000)
    assert dbt(*run) == merged
    assert "appended_at > timestamp_micros(5000 + 1000)" in spark.written[0]

    spark.answers[APPENDS] = appended(11000, changed_at=0, emptied_at=11000)
    folds(spark, 11000)
    assert dbt(*run)[0] == whole
    assert dbt(*run) == []
    stands(spark, "row_states", "run 2")
    folds(spark, 11000)
    assert dbt(*run)[0] == whole, "row_states was made anew"
    assert dbt(*run, "--full-refresh")[0] == whole
    assert dbt(*run, "--empty")[0] == whole
    assert dbt(*run)[0] == whole, "behind --empty"
    spark.properties[SNAPSHOT]["watershed.described"] = "otherwise"
    assert dbt(*run) == [f"comment on table watershed.{SNAPSHOT} is"[:40], merged[1]]


def test_a_snapshot_without_changes_notes_how_far_it_looked_past_many_rows(
    spark: Spark, dbt: Callable[..., list[str]]
) -> None:
    run = ("run", "--select", SNAPSHOT)
    stands(spark, "row_states", "run 1")
    dbt(*run)
    spark.answers = {APPENDS: appended(5000, table_name="others", events=100_000)} | spark.answers
    folds(spark, 5000)
    assert dbt(*run) == [], "few rows are looked at again"
    spark.answers[APPENDS] = appended(5000, table_name="others", events=100_001)
    assert dbt(*run) == [f"alter table watershed.{SNAPSHOT} set"[:40]]
    assert spark.properties[SNAPSHOT]["watershed.events_until"] == "5000"


def test_snapshots_of_a_run_ask_once_what_is_new_and_know_the_row_states_that_it_made(
    spark: Spark, dbt: Callable[..., list[str]]
) -> None:
    others = ("snapshot_datahub_tuple__orders", "snapshot_oms_default__orders")
    spark.answers = {APPENDS: appended(5000)} | spark.answers
    stands(spark, "events", "run 1")
    stands(spark, "key_moves", "run 1")
    folds(spark, 5000, "key_moves")
    run = ("run", "--select", "row_states", SNAPSHOT, *others)

    def asked() -> list[str]:
        found = [sql for sql in spark.asked if sql.startswith(APPENDS)]
        spark.asked.clear()
        return found

    made = dbt(*run)
    assert [sql[:23] for sql in made if "table" in sql[:23]] == ["create or replace table"] * 4
    assert len(asked()) == 1
    assert dbt(*run) == [], "row_states is known for the one that the first run made"
    assert asked() == [], "it was folded no further"
    for oldest in (SNAPSHOT, *others):
        noted = spark.properties[oldest] | {"watershed.events_until": "3000"}
        spark.properties[oldest], before = noted, spark.properties[oldest]
        dbt(*run)
        [question] = asked()
        assert "appended_at > timestamp_micros(3000 + 1000)" in question, oldest
        spark.properties[oldest] = before
    assert dbt("run", "--select", SNAPSHOT, *others) == [], "without row_states in the run"


def stands(spark: Spark, name: str, made_in: str) -> None:
    """Say that a table stands there, made by a run; by none for one that was made before runs were noted."""
    spark.information[f"watershed.{name}"] = "Type: MANAGED\nProvider: delta\n"
    spark.properties[name] = {"watershed.made_in": made_in} if made_in else {}


def folds(spark: Spark, until: int, name: str = "row_states") -> None:
    """Say until when a table was folded from events."""
    spark.properties[name]["watershed.events_until"] = str(until)


@pytest.mark.parametrize("table", ["key_moves", "row_states"])
def test_what_is_folded_from_events_made_anew_is_made_anew(
    spark: Spark, dbt: Callable[..., list[str]], table: str
) -> None:
    run = ("run", "--select", table)
    whole = f"create or replace table watershed.{table}"[:40]
    spark.answers = {APPENDS: []} | spark.answers
    if table == "row_states":
        stands(spark, "key_moves", "run 1")
    for made_in in ("", "run 1", "run 2"):
        stands(spark, "events", made_in)
        assert dbt(*run)[0] == whole, made_in
        assert dbt(*run) == [], "nothing new"
        assert dbt(*run) == []
    del spark.properties[table]["watershed.events_until"]
    assert dbt(*run)[0] == whole, "of a version that did not note how far it was folded"
    assert dbt(*run) == []
    del spark.information["watershed.events"]
    assert dbt("compile", "--select", table) == []


def test_key_moves_looks_through_the_tables_that_have_told_a_part_of_a_row(
    spark: Spark, dbt: Callable[..., list[str]]
) -> None:
    [question] = TOUCHED
    run = ("run", "--select", "key_moves")
    stands(spark, "events", "run 1")
    moving = appended(4000, table_name="moving", part_at=4000)
    spark.answers = {APPENDS: appended(5000) + moving, **TOUCHED} | spark.answers
    assert dbt(*run)[0].startswith("create or replace table")
    for until, table, written in ((7000, "orders", ["alter tabl"]), (9000, "moving", ["merge into", "alter tabl"])):
        spark.answers = spark.answers | {APPENDS: appended(until, table_name=table)}
        spark.asked.clear()
        assert [sql[:10] for sql in dbt(*run)] == written
        assert any(sql.startswith(question) for sql in spark.asked) == (table == "moving")
    del spark.properties["key_moves"]["watershed.parts_in"]
    assert dbt(*run)[0].startswith("create or replace table"), "of a version that did not note it"


def test_an_increment_puts_files_together_and_stops_at_a_table_of_another_version(
    spark: Spark, dbt: Callable[..., list[str]]
) -> None:
    # So few that each build asks how many there are.
    run = ("run", "--select", "key_moves", "--vars", "{most_small_files: 9}")
    spark.answers = {APPENDS: appended(5000, part_at=5000), **TOUCHED} | spark.answers
    stands(spark, "events", "run 1")
    assert dbt(*run)[0].startswith("create or replace table")
    spark.answers[APPENDS] = appended(7000, part_at=7000)
    assert [sql[:10] for sql in dbt(*run)] == ["merge into", "alter tabl"]
    assert spark.properties["key_moves"]["watershed.events_until"] == "7000"
    # Nine small files are left as they are, and a large one more.
    for files, optimized in ((9, []), (10, []), (11, ["optimize watershed.key_moves"])):
        spark.answers["describe detail"] = [{"sizeInBytes": 64_000_000, "numFiles": files}]
        spark.properties["key_moves"]["watershed.events_until"] = "5000"
        assert [sql for sql in dbt(*run) if sql.startswith("optimize")] == optimized
    spark.columns["key_moves"] = ["change_id", "step"]
    spark.properties["key_moves"]["watershed.events_until"] = "5000"
    with pytest.raises(AssertionError, match="key_moves is of another version"):
        dbt(*run)
    assert spark.written == []
    assert dbt(*run, "--full-refresh")[0].startswith("create or replace table")


@pytest.mark.parametrize(
    ("command", "name", "selected"),
    [
        ("run", "events", "path:models/events/events.sql"),
        ("run", "row_states", "row_states"),
        ("run", SNAPSHOT, SNAPSHOT),
        ("seed", "cdc_sources", "cdc_sources"),
    ],
)
def test_a_table_of_the_other_format_is_left_alone(
    spark: Spark, dbt: Callable[..., list[str]], capsys: pytest.CaptureFixture[str],
    command: str, name: str, selected: str,
) -> None:  # fmt: skip
    stands(spark, name, "run 1")
    spark.information[f"watershed.{name}"] = "Type: EXTERNAL\nTable Properties: [a=b, table_type=ICEBERG]\n"
    for options in ((), ("--full-refresh",)):
        with pytest.raises(AssertionError):
            dbt(command, "--select", selected, *options)
        told = capsys.readouterr().out
        assert f"watershed.{name} is a table of iceberg, and WATERSHED_FILE_FORMAT is delta. Set it to iceberg" in told
        assert spark.written == []


def test_late_copies_are_settled_behind_the_append_even_if_a_run_died(
    spark: Spark, dbt: Callable[..., list[str]]
) -> None:
    noted, removed, read, settled = "alter set", "alter unset", "insert by", "merge as"

    def run() -> list[str]:
        written = map(str.split, dbt("run", "--select", "path:models/events/events.sql"))
        return [f"{words[0]} {words[3]}" for words in written]

    rules = [{"key_columns": True, "lob_columns": False, "soft_delete_column": False}]
    stands(spark, "events", "run 1")
    spark.answers = {
        COUNTED: [unread_batch("b2"), read_batches("b1")],
        "select count(key_columns) > 0": rules,
        "select unix_micros(max(appended_at))": [{"until": 5000}],
        "select change_id from watershed.events where outcome = 'duplicate'": [{"change_id": "c"}],
    } | spark.answers

    assert run() == [read], "nothing came late"
    assert "pick_key(" in spark.written[0], "a rule names key columns"
    rules[0]["key_columns"] = False
    spark.answers[COUNTED] = [unread_batch("b1"), read_batches("b2")]
    assert run() == [noted, read, settled, removed]
    assert "appended_at > timestamp_micros(5000)" in spark.written[2]
    assert "pick_key(" not in spark.written[1]

    # A run that died behind its append, of which the next knows by the note alone.
    spark.properties["events"]["watershed.settled_until"] = "4000"
    spark.answers[COUNTED] = [unread_batch("b1"), read_batches("b2")]
    assert run() == [read, settled, removed]
    assert "appended_at > timestamp_micros(4000)" in spark.written[1]
    spark.properties["events"]["watershed.settled_until"] = "4000"
    spark.answers[COUNTED] = []
    assert run() == [settled, removed]
    spark.properties["events"]["watershed.settled_until"] = "4000"
    spark.answers["select change_id from watershed.events where outcome = 'duplicate'"] = []
    assert run() == [removed], "no copy came late"


def test_spark_compiles_where_much_is_read(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    settings = {"key_columns": False, "lob_columns": False, "soft_delete_column": False}
    stands(spark, "events", "run 1")
    spark.answers = {"select count(key_columns) > 0": [settings]} | spark.answers

    def compiles(name: str, *counted: dict[str, object]) -> bool:
        spark.properties["events"].pop("watershed.read_batches", None)
        spark.answers[COUNTED] = list(counted)
        spark.asked.clear()
        dbt("run", "--select", name)
        return "set spark.sql.codegen.wholeStage = true" in spark.asked

    events = "path:models/events/events.sql"
    assert not compiles(events, unread_batch("b2", 100_000), read_batches("b1", 2_400_000))
    assert compiles(events, unread_batch("b2", 100_001), read_batches("b1"))
    assert compiles(events, unread_batch("b2"), read_batches("b1", 2_500_000))
    assert not compiles("row_states")
    spark.answers["select count(*) from landing.messages"] = [{"count": 2_500_001}]
    assert compiles("row_states"), "it asks itself where events is not built"


def test_batches_that_were_read_are_counted_once(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    settings = {"key_columns": False, "lob_columns": False, "soft_delete_column": False}
    totals = "select (select count(*) from landing.messages), (select count(*) from watershed.events)"
    behind_b1 = "where batch_id > 'b1' group by"

    def run(*counted: dict[str, object]) -> list[str]:
        spark.answers[COUNTED] = list(counted)
        spark.asked.clear()
        dbt("run", "--select", "path:models/events/events.sql")
        return [question for question in spark.asked if question.startswith(COUNTED)]

    def noted() -> object:
        return json.loads(spark.properties["events"].get("watershed.read_batches", "null"))

    stands(spark, "events", "run 1")
    until = {"select unix_micros(max(appended_at))": [{"until": 5000}]}
    spark.answers = {"select count(key_columns) > 0": [settings]} | until | spark.answers
    run(unread_batch("b2"), read_batches("b1", messages=1000, events=1100))
    assert noted() is None, "few are counted each time"
    run(unread_batch("b2"), read_batches("b3", messages=200_000, events=210_000))
    assert noted() is None, "b2 committed late, before what was read"
    run(unread_batch("b2"), read_batches("b1", messages=200_000, events=210_000))
    first = {"batch_id": "b1", "messages": 200_000, "events": 210_000, "landed_at": 1}
    assert noted() == first

    spark.answers[totals] = [{"messages": 200_006, "events": 210_002}]
    (question,) = run(unread_batch("b3", 4), read_batches("b2", 2, events=2))
    assert behind_b1 in question
    assert any("batch_id in ('b3')" in statement for statement in spark.written)
    assert noted() == first, "few are counted each time"
    spark.answers[totals] = [{"messages": 350_004, "events": 350_000}]
    run(unread_batch("b4", 4), read_batches("b3", 150_000, events=140_000))
    second = {"batch_id": "b3", "messages": 350_000, "events": 350_000, "landed_at": 3}
    assert noted() == second

    # A batch with a smaller id committed late; a replay removed events: all is counted.
    for messages, events in ((350_002, 350_000), (350_001, 349_999)):
        spark.properties["events"]["watershed.read_batches"] = json.dumps(second)
        spark.answers[totals] = [{"messages": messages, "events": events}]
        assert ["where batch_id > 'b3'" in question for question in run(unread_batch("b2"))] == [True, False]
        assert noted() is None, "what was noted is so no more"


@pytest.mark.parametrize("other", ["other", "Shop"])
def test_a_snapshot_of_two_databases_is_made_whole(spark: Spark, dbt: Callable[..., list[str]], other: str) -> None:
    name = "snapshot_datahub_tuple__orders"
    place = {"source_name": "datahub_tuple", "format": "datahub_tuple"}
    run = ("run", "--select", name)
    spark.answers = {APPENDS: appended(5000, **place, database_name="shop")} | spark.answers
    assert dbt(*run)[0].startswith("create or replace table")
    spark.answers[APPENDS] = appended(7000, **place, database_name="shop")
    assert dbt(*run)[0].startswith("merge into")
    spark.answers[APPENDS] = appended(9000, **place, database_name=other)
    assert dbt(*run)[0].startswith("create or replace table")
    spark.answers[APPENDS] = appended(11000, **place, database_name=other)
    assert dbt(*run)[0].startswith("create or replace table")


def test_truncates_are_looked_for_where_a_table_was_ever_emptied(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    joined, live = "left join watershed.table_truncates as table_truncates", "where not is_deleted) as current_rows"
    run = ("run", "--select", "row_states", SNAPSHOT)

    def folded(until: int, **others: int | str) -> list[str]:
        """Fold what one append brought; return the statements of row_states and of the snapshot."""
        spark.answers = spark.answers | {APPENDS: appended(until, **others)}
        folds(spark, until, "key_moves")
        dbt(*run)
        return [sql for sql in spark.written if " table_truncates" in sql or "as current_rows" in sql]

    spark.answers = {APPENDS: []} | spark.answers
    stands(spark, "events", "run 1")
    stands(spark, "key_moves", "run 1")
    rows, snapshot = folded(5000)
    assert joined not in rows
    assert live in snapshot
    rows, snapshot = folded(7000)
    assert joined not in rows + snapshot
    rows, *_ = folded(9000, table_name="others", emptied_at=9000)
    assert joined in rows
    rows, snapshot = folded(11000)
    assert joined not in rows + snapshot, "another table was emptied"
    rows, snapshot = folded(13000, emptied_at=13000)
    assert joined in rows
    assert "from watershed.current_rows as current_rows" in snapshot
    rows, snapshot = folded(15000)
    assert [joined in sql for sql in (rows, snapshot)] == [True, True], "it was emptied before"
    assert json.loads(spark.properties["row_states"]["watershed.emptied_in"]) == [
        ["datahub_blob", "others"], ["datahub_blob", "orders"],
    ]  # fmt: skip
    del spark.properties["row_states"]["watershed.emptied_in"]
    rows, *_ = folded(17000, table_name="others")
    assert joined in rows, "an older version did not note it"


def test_a_view_is_made_when_it_or_what_it_reads_changed(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    views = ("stg_databus_json__events", "base_databus__events")
    run = ("run", "--select", *views)
    made = [f"create or replace view watershed_staging.{name}"[:40] for name in reversed(views)]
    assert dbt(*run) == made
    assert dbt(*run) == []
    assert dbt(*run, "--empty") == made
    assert dbt(*run) == made, "behind --empty"
    assert dbt(*run, "--full-refresh") == made
    del spark.information["watershed_staging.base_databus__events"]
    assert dbt(*run) == made[:1], "the view was dropped"
    spark.information["watershed_staging.base_databus__events"] = "Type: VIEW\n"
    assert dbt("run", "--select", "base_databus__events") == made[:1], "made by another"


def test_a_seed_is_loaded_when_it_changed(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    run = ("seed", "--select", "cdc_sources")
    whole = "create or replace table watershed.cdc_so"
    assert dbt(*run) == [whole]
    assert dbt(*run) == []
    assert dbt(*run, "--full-refresh") == [whole]
    spark.properties["cdc_sources"]["watershed.made_from"] = "another file"
    assert dbt(*run) == [whole]


def test_the_cells_of_a_seed_have_no_spaces_around_them(
    spark: Spark, dbt: Callable[..., list[str]], folder: Path
) -> None:
    file = folder / "target" / "seeds" / "cdc_sources.csv"
    before = file.read_text()
    file.write_text(before + "shop ,oms_shareplex, Asia/Shanghai\t,  \n")
    try:
        dbt("seed", "--select", "cdc_sources")
    finally:
        file.write_text(before)
    assert "('shop', 'oms_shareplex', 'Asia/Shanghai', null)" in spark.written[0]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (
            lambda text: text + "shop,,,orders,region,customer_id,,\n",
            "{file}:{lines}: expected 7 cells, found 8. A cell with a comma stands in quotation marks; "
            "correct the line, then build again.",
        ),
        (
            lambda text: text.replace("key_columns", "keys"),
            "{file}:1: expected the columns source_name,database_name,schema_name,table_name,key_columns,lob_columns,"
            "soft_delete_column, found source_name,database_name,schema_name,table_name,keys,lob_columns,"
            "soft_delete_column. Put the first line of the file right, then build again.",
        ),
    ],
)
def test_a_seed_that_cannot_be_loaded_is_told_with_its_line(
    invoke: Callable[..., dbtRunnerResult], folder: Path, wrong: Callable[[str], str], expected: str
) -> None:
    file = folder / "target" / "seeds" / "table_keys.csv"
    before = file.read_text()
    file.write_text(wrong(before))
    told: list[str] = []
    try:
        done = invoke("seed", "--select", "table_keys", callbacks=[lambda event: told.append(event.info.msg)])
    finally:
        file.write_text(before)
    assert not done.success
    lines = len(before.splitlines()) + 1
    assert expected.format(file="target/seeds/table_keys.csv", lines=lines) in "\n".join(told)
