"""What a run of events asks and notes, by what has landed and was read: dbt itself, beside a made-up Spark."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from made_up_dbt import stands
from made_up_spark import Spark

# The messages of landing beside the events of them.
COUNTED = "with counted as"


def unread_batch(batch_id: str, messages: int = 1) -> dict[str, object]:
    """Return a batch of which no message was read; batches land in the order of their names."""
    place = {"format": "datahub_blob", "batch_id": batch_id, "source_name": "shop"}
    counts = {"batches": 1, "messages": messages, "events": 0}
    times = {"landed_at": int(batch_id[1:]), "read_at": None, "appended_at": None}
    return {"is_unread": True, "last_batch_id": batch_id} | place | counts | times


def read_batches(last_batch_id: str, messages: int = 1, events: int = 1, batches: int = 1) -> dict[str, object]:
    """Return all batches that were read."""
    batch = unread_batch(last_batch_id, messages)
    told = {"is_unread": False, "format": None, "batch_id": None, "source_name": None}
    counts = {"batches": batches, "events": events}
    return batch | told | counts | {"read_at": batch["landed_at"], "appended_at": 10 * int(last_batch_id[1:])}


def test_late_copies_are_settled_behind_the_append_even_if_a_run_died(
    spark: Spark, dbt: Callable[..., list[str]]
) -> None:
    noted, removed, read, settled = "alter set", "alter unset", "insert by", "merge as"

    def run() -> list[str]:
        written = map(str.split, dbt("run", "--select", "path:models/events/events.sql"))
        return [f"{words[0]} {words[3]}" for words in written]

    rules = [{"key_columns": True, "lob_columns": False, "soft_delete_column": False}]
    dbt("seed")
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
    dbt("seed")
    stands(spark, "events", "run 1")
    spark.answers = {"select count(key_columns) > 0": [settings]} | spark.answers

    def compiles(name: str, *counted: dict[str, object], options: Sequence[str] = ()) -> bool:
        spark.properties["events"].pop("watershed.read_batches", None)
        spark.answers[COUNTED] = list(counted)
        spark.asked.clear()
        dbt("run", "--select", name, *options)
        return "set spark.sql.codegen.wholeStage = true" in spark.asked

    events = "path:models/events/events.sql"
    assert not compiles(events, unread_batch("b2", 100_000), read_batches("b1", 2_400_000))
    assert compiles(events, unread_batch("b2", 100_001), read_batches("b1"))
    assert compiles(events, unread_batch("b2"), read_batches("b1", 2_500_000))
    assert not compiles("row_states")
    spark.answers["select count(*) from landing.messages"] = [{"count": 2_500_001}]
    assert compiles("row_states"), "it asks itself where events is not built"

    # A typed snapshot made anew reads the rows of all messages, one that is merged those that changed.
    stands(spark, "row_states", "run 1")
    snapshot = "snapshot_datahub_blob__orders"
    for landed, is_large in ((100_000, False), (100_001, True)):
        spark.properties.pop(snapshot, None)
        spark.answers["select count(*) from landing.messages"] = [{"count": landed}]
        assert compiles(snapshot) is is_large
        assert not compiles(snapshot), "nothing is new"
        assert compiles(snapshot, options=["--full-refresh"]) is is_large


def test_files_are_not_looked_for_where_nothing_was_read(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    settings = {"key_columns": False, "lob_columns": False, "soft_delete_column": False}
    spark.answers = {"select count(key_columns) > 0": [settings]} | spark.answers

    def looks(*counted: dict[str, object], options: tuple[str, ...] = ()) -> bool:
        spark.answers[COUNTED] = list(counted)
        spark.asked.clear()
        dbt("run", "--select", "path:models/events/events.sql", *options)
        return "set spark.databricks.delta.stats.skipping = false" not in spark.asked

    dbt("seed")
    assert not looks(unread_batch("b1"))
    stands(spark, "events", "run 1")
    assert looks(unread_batch("b2"), read_batches("b1"))
    assert looks(unread_batch("b2"), read_batches("b1", messages=0)), "landing was emptied behind a build"
    assert not looks(unread_batch("b1"), options=("--full-refresh",))


def test_batches_that_were_read_are_counted_once(spark: Spark, dbt: Callable[..., list[str]]) -> None:
    settings = {"key_columns": False, "lob_columns": False, "soft_delete_column": False}
    behind_b1 = "where batch_id > 'b1' group by"

    def totals(messages: int, events: int) -> dict[str, object]:
        return dict.fromkeys(read_batches("b1")) | {"messages": messages, "events": events}

    def run(*counted: dict[str, object]) -> list[str]:
        spark.answers[COUNTED] = list(counted)
        spark.asked.clear()
        dbt("run", "--select", "path:models/events/events.sql")
        return [question for question in spark.asked if question.startswith(COUNTED)]

    def noted() -> object:
        return json.loads(spark.properties["events"].get("watershed.read_batches", "null"))

    dbt("seed")
    stands(spark, "events", "run 1")
    until = {"select unix_micros(max(appended_at))": [{"until": 5000}]}
    spark.answers = {"select count(key_columns) > 0": [settings]} | until | spark.answers
    run(unread_batch("b2"), read_batches("b1", messages=1000, events=1100))
    assert noted() is None, "few are counted each time"
    run(unread_batch("b2"), read_batches("b3", messages=200_000, events=210_000))
    assert noted() is None, "b2 committed late, before what was read"
    run(unread_batch("b2"), read_batches("b1", messages=200, events=210, batches=249))
    assert noted() is None, "so are few batches"
    run(unread_batch("b2"), read_batches("b1", messages=200, events=210, batches=250))
    assert noted() == {"batch_id": "b1", "messages": 200, "events": 210, "landed_at": 1, "appended_at": 10}
    del spark.properties["events"]["watershed.read_batches"]
    run(unread_batch("b2"), read_batches("b1", messages=200_000, events=210_000))
    first = {"batch_id": "b1", "messages": 200_000, "events": 210_000, "landed_at": 1, "appended_at": 10}
    assert noted() == first

    (question,) = run(unread_batch("b3", 4), read_batches("b2", 2, events=2), totals(200_006, 210_002))
    assert behind_b1 in question
    assert question.endswith(
        "union all select null, null, null, null, null, (select count(*) from landing.messages), "
        "(select count(*) from watershed.events), null, null, null, null"
    )
    [append] = [statement for statement in spark.written if "batch_id in ('b3')" in statement]
    assert "where appended.appended_at > timestamp_micros(20)" in append, "older files cannot have the last append"
    assert noted() == first, "few are counted each time"
    run(unread_batch("b4", 4), read_batches("b3", 150_000, events=140_000), totals(350_004, 350_000))
    second = {"batch_id": "b3", "messages": 350_000, "events": 350_000, "landed_at": 3, "appended_at": 30}
    assert noted() == second

    # A batch with a smaller id committed late; a replay removed events: all is counted.
    for messages, events in ((350_002, 350_000), (350_001, 349_999)):
        spark.properties["events"]["watershed.read_batches"] = json.dumps(second)
        asked = run(unread_batch("b2"), totals(messages, events))
        assert ["where batch_id > 'b3'" in question for question in asked] == [True, False]
        assert noted() is None, "what was noted is so no more"
