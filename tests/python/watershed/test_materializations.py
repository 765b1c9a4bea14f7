"""Which statements dbt sends for a node, by what stands there: dbt itself, on this project, beside a made-up Spark."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from dbt.cli.main import dbtRunnerResult
from dbt.contracts.graph.manifest import Manifest
from made_up_dbt import folds, stands
from made_up_spark import Rows, Spark

SNAPSHOT = "snapshot_datahub_blob__orders"
# What was appended to events, and the tables whose changes of key that may bear on.
APPENDS = "select source_name, format, database_name"
TOUCHED = {"select source_name, table_name from watershed.events": [{"source_name": "shop", "table_name": "orders"}]}
PLACE = {
    "source_name": "datahub_blob", "format": "datahub_blob", "database_name": "shop", "schema_name": None,
    "table_name": "orders", "events": 1, "part_at": 0, "emptied_at": 0,
}  # fmt: skip


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

    spark.properties["key_moves"] |= {"watershed.folded_from": "run 1", "watershed.parts_in": "[]"}
    spark.properties[SNAPSHOT]["watershed.events_until"] = "4000"
    spark.answers[APPENDS] = appended(9000)
    asked()
    dbt(*run, "key_moves")
    [question] = asked()
    assert "appended_at > timestamp_micros(4000 + 1000)" in question, "key_moves asks for all"


def test_a_run_names_the_typed_snapshots_that_it_leaves_older_than_the_rows(
    spark: Spark, invoke: Callable[..., dbtRunnerResult]
) -> None:
    said: list[str] = []

    def run(until: int, *selected: str) -> str:
        said.clear()
        spark.answers = spark.answers | {APPENDS: appended(until)}
        folds(spark, until, "key_moves")
        note = [lambda event: said.append(event.info.msg) if event.info.name == "JinjaLogInfo" else None]
        assert invoke("run", "--select", "row_states", *selected, callbacks=note).success
        return "".join(said)

    stands(spark, "events", "run 1")
    stands(spark, "key_moves", "run 1")
    all_of_them = "config.materialized:typed_snapshot"
    told = run(5000)
    assert "WARN typed snapshots: 11 of them were not part of this run and are older than current_rows (" in told
    assert "dbt build --selector increment_typed" in told
    assert run(5000) == "", "nothing new"
    assert run(7000, all_of_them) == ""
    assert "WARN typed snapshots: 1 of them were not part" in run(9000, all_of_them, "--exclude", SNAPSHOT)
    assert f"({SNAPSHOT})" in said[0]


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
    dbt("seed")
    stands(spark, name, "run 1")
    spark.information[f"watershed.{name}"] = "Type: EXTERNAL\nTable Properties: [a=b, table_type=ICEBERG]\n"
    for options in ((), ("--full-refresh",)):
        with pytest.raises(AssertionError):
            dbt(command, "--select", selected, *options)
        told = capsys.readouterr().out
        assert f"watershed.{name} is a table of iceberg, and WATERSHED_FILE_FORMAT is delta. Set it to iceberg" in told
        assert spark.written == []


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


def test_moves_are_looked_for_where_a_table_ever_told_a_part_of_a_row(
    spark: Spark, dbt: Callable[..., list[str]]
) -> None:
    def folded(until: int, parts_in: str, **others: str) -> str:
        spark.answers = spark.answers | {APPENDS: appended(until, **others)}
        spark.properties["key_moves"] = {"watershed.events_until": str(until), "watershed.parts_in": parts_in}
        dbt("run", "--select", "row_states")
        return spark.written[0]

    stands(spark, "events", "run 1")
    stands(spark, "key_moves", "run 1")
    told = '[["datahub_blob", "others"]]'
    for start, until in (("create or replace table", 5000), ("merge into", 7000)):
        rows = folded(until, told)
        assert rows.startswith(start)
        assert "from watershed.int_sent_changes as sent )" in " ".join(rows.split())
        assert "key_moves" not in rows
    rows = folded(9000, told, table_name="others")
    assert "from watershed.int_row_changes" in rows
    assert "int_sent_changes" not in rows
    del spark.properties["key_moves"]["watershed.parts_in"]
    spark.answers[APPENDS] = appended(11000)
    folds(spark, 11000, "key_moves")
    dbt("run", "--select", "row_states")
    assert "from watershed.int_row_changes" in spark.written[0], "of a version that did not note it"


def test_a_table_of_delta_keeps_the_log_of_a_week(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    stands(spark, "events", "run 1")
    spark.answers = {APPENDS: []} | spark.answers
    dbt("run", "--select", "key_moves")
    assert "'delta.logRetentionDuration' = 'interval 7 days'" in spark.written[0]


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


def test_a_seed_is_loaded_when_it_changed_with_a_notice(
    spark: Spark, dbt: Callable[..., list[str]], invoke: Callable[..., dbtRunnerResult]
) -> None:
    run = ("seed", "--select", "cdc_sources")
    whole = "create or replace table watershed.cdc_so"
    said: list[str] = []
    callbacks = [lambda event: said.append(event.info.msg) if event.info.name == "JinjaLogInfo" else None]
    assert invoke(*run, callbacks=callbacks).success
    assert dbt(*run) == []
    assert invoke(*run, "--full-refresh", callbacks=callbacks).success
    assert said == [], "nothing has changed"
    spark.properties["cdc_sources"]["watershed.made_from"] = "another file"
    assert dbt(*run) == [whole]
    spark.properties["cdc_sources"]["watershed.made_from"] = "another file"
    assert invoke(*run, callbacks=callbacks).success
    [notice] = said
    assert "target/seeds/cdc_sources.csv has changed. Messages already processed keep their time zone" in notice


EVENTS = "path:models/events/events.sql"
CONFIGURATION = ("cdc_sources", "databus_sources", "table_keys")
BUILD = ("build", "--select", EVENTS, *CONFIGURATION, "--exclude-resource-type", "test", "unit_test")


def test_events_is_not_built_of_seeds_that_differ_from_their_files(
    spark: Spark, invoke: Callable[..., dbtRunnerResult]
) -> None:
    spark.answers["with counted as"] = []
    stands(spark, "events", "run 1")

    def run(*command: str) -> str:
        done = invoke(*command)
        return "" if done.success else str([result.message for result in done.result if result.status == "error"])

    assert "target/seeds/cdc_sources.csv has not been loaded." in run("run", "--select", EVENTS)
    assert run("seed") == ""
    assert run("run", "--select", EVENTS) == ""
    for name in CONFIGURATION:
        spark.properties[name]["watershed.made_from"] = "another file"
        told = run("run", "--select", EVENTS)
        assert f"target/seeds/{name}.csv has changed since it was loaded." in told
        assert f"would read the table watershed.{name} instead" in told
        assert "or before it (dbt seed)." in told
        assert run(*BUILD) == "", "loaded first"
    spark.properties["reason_codes"]["watershed.made_from"] = "another file"
    assert run("run", "--select", EVENTS) == "", "events does not read this one"


def test_a_seed_too_large_for_a_checksum_is_compared_by_its_rows(
    spark: Spark, invoke: Callable[..., dbtRunnerResult], manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.answers["with counted as"] = []
    stands(spark, "events", "run 1")
    node = manifest.flat_graph["nodes"]["seed.watershed.table_keys"]
    monkeypatch.setitem(node, "checksum", {"name": "path", "checksum": node["original_file_path"]})
    assert invoke("seed").success
    spark.written.clear()
    assert invoke("seed").success
    assert spark.written == []
    done = invoke("run", "--select", EVENTS)
    assert "has more than 1 MiB, so dbt cannot compare it with its table." in done.result[0].message
    assert invoke(*BUILD).success


def test_the_seeds_that_are_compared_are_those_that_events_reads(manifest: Manifest) -> None:
    found, names = ["model.watershed.events"], set()
    for node in found:
        parents = manifest.nodes[node].depends_on.nodes if node in manifest.nodes else []
        found += [parent for parent in parents if parent not in found and not parent.startswith("seed.")]
        names |= {parent.rpartition(".")[2] for parent in parents if parent.startswith("seed.")}
    assert names == set(CONFIGURATION)


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


def test_dbt_skips_the_byte_order_mark_of_a_seed(spark: Spark, dbt: Callable[..., list[str]], folder: Path) -> None:
    file = folder / "target" / "seeds" / "databus_sources.csv"
    before = file.read_bytes()
    file.write_bytes(b"\xef\xbb\xbf" + before.replace(b"\n", b"\r\n"))
    try:
        dbt("seed", "--select", "databus_sources")
    finally:
        file.write_bytes(before)
    assert "as seed_rows (source_name, source_id, table_name)" in spark.written[0]
    assert "('databus_binary', '40', 'customers')" in spark.written[0]


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
            "soft_delete_column. Fix the first line of the file, then build again.",
        ),
        (
            lambda text: text.replace(",", ";"),
            "{file}:1: expected the columns source_name,database_name,schema_name,table_name,key_columns,lob_columns,"
            "soft_delete_column, found source_name;database_name;schema_name;table_name;key_columns;lob_columns;"
            "soft_delete_column. Its cells are separated by semicolons. Save it with commas, then build again.",
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
