"""Offsets of a stream compared with those of the broker, without Kafka and Spark."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.kafka.feeds import client_properties, feeds_of, moment, one_feed
from watershed.kafka.offsets import OnBroker, batch_end, check, from_json, lag, to_json
from watershed.kafka.state import begin, newest_stream, note
from watershed.sources import Sources

PARTITIONS = st.tuples(st.text(min_size=1), st.integers(0, 1000))
POSITIONS = st.dictionaries(PARTITIONS, st.integers(0, 2**62))
SOURCES = Sources(Path("seeds/cdc_sources.csv"), {"shop": "datahub_blob", "bank": "oms_canal"})


@given(POSITIONS)
def test_positions_come_back_from_json(positions: dict[tuple[str, int], int]) -> None:
    assert from_json(to_json(positions)) == positions


@given(POSITIONS)
def test_a_stream_whose_messages_are_all_there_goes_on(positions: dict[tuple[str, int], int]) -> None:
    ids = {topic: topic for topic, _ in positions}
    check("shop", ids, positions, OnBroker(ids, dict.fromkeys(positions, 0), positions), str)


def test_removed_messages_are_reported_by_partition_and_offset() -> None:
    needed = {("orders", 0): 5, ("orders", 1): 7}
    broker = OnBroker({"orders": "a"}, {("orders", 0): 9, ("orders", 1): 7}, {("orders", 0): 20, ("orders", 1): 7})
    with pytest.raises(
        WatershedError, match=r"removed up to 4 messages before they were read: orders-0: 5 to 8.*"
    ) as it:
        check("shop", {"orders": "a"}, needed, broker, "{}@0002".format)
    assert "--accept-loss" in str(it.value)


@pytest.mark.parametrize(
    ("topic_id", "end", "told"),
    [
        pytest.param("b", 50, "was deleted and recreated", id="another id, more messages than before"),
        pytest.param("a", 3, "ends before the landed offsets", id="the same id, fewer messages"),
    ],
)
def test_a_topic_that_is_another_or_cut_short_is_refused(topic_id: str, end: int, told: str) -> None:
    broker = OnBroker({"orders": topic_id}, {("orders", 0): 0}, {("orders", 0): end})
    with pytest.raises(WatershedError, match=rf"'orders' {told}.*landed up to 5 in 0") as it:
        check("shop", {"orders": "a"}, {("orders", 0): 5}, broker, "{}@0002".format)
    assert "'orders@0002': run the same command with --new-epoch" in str(it.value)


def test_a_topic_that_is_gone_is_reported() -> None:
    with pytest.raises(WatershedError, match="expected topic 'orders' on the broker, found no such topic"):
        check("shop", {"orders": "a"}, {("orders", 0): 5}, OnBroker({}, {}, {}), str)


def test_lag_counts_unread_messages() -> None:
    assert lag({("a", 0): 3}, {("a", 0): 10, ("a", 1): 4}) == {("a", 0): 7, ("a", 1): 0}


def test_the_end_of_a_batch_is_read_as_spark_notes_it(tmp_path: Path) -> None:
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / "7").write_text('v1\n{"batchWatermarkMs":0}\n{"orders":{"0":12,"1":3}}')
    assert batch_end(tmp_path, 7) == {("orders", 0): 12, ("orders", 1): 3}
    with pytest.raises(WatershedError, match=re.escape(str(tmp_path / "offsets" / "8"))):
        batch_end(tmp_path, 8)


def test_streams_are_noted_and_the_newest_counts(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert newest_stream(home, "shop/1") is None
    begin(home, "shop/1", {("orders", 0): 1}, ["orders"], {"orders": "a"}, {})
    second = begin(home, "shop/1", {("orders", 0): 5}, ["orders"], {"orders": "b"}, {"orders": 2})
    note(second, {"new": "c"})
    assert newest_stream(home, "shop/1") == replace(second, ids={"orders": "b", "new": "c"})
    assert [second.landed_as(topic) for topic in ("orders", "new")] == ["orders@0002", "new"]
    again = second.with_recreated(["orders", "new"])
    assert [again.landed_as(topic) for topic in ("orders", "new")] == ["orders@0003", "new@0002"]


def test_notes_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    stream = begin(Home(tmp_path), "shop", {}, [], {}, {})
    (stream.folder / "start.json").write_text("{")
    with pytest.raises(WatershedError, match=re.escape(str(stream.folder / "start.json"))):
        newest_stream(Home(tmp_path), "shop")


def test_feeds_are_read_from_a_table(tmp_path: Path) -> None:
    table = tmp_path / "feeds.csv"
    header = "source_name,bootstrap_servers,topics,topic_pattern\n"
    table.write_text(header + 'shop,"a:1,b:2",orders customers,\nbank,a:1,,bank\\..*\n')
    shop, bank = feeds_of(table, SOURCES)
    assert (shop.bootstrap_servers, shop.topics, shop.format) == ("a:1,b:2", ("orders", "customers"), "datahub_blob")
    assert (bank.topics, bank.topic_pattern) == ((), r"bank\..*")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("shop,a:1,orders,o.*", "feeds.csv:2: expected topics or a pattern of their names, found both"),
        ("shop,a:1,,", "feeds.csv:2: expected topics or a pattern of their names, found neither"),
        ("shop,,orders,", "feeds.csv:2: no bootstrap servers"),
        ("shop,a:1,,(", "feeds.csv:2: '\\(' is not a regular expression"),
        ("none,a:1,orders,", "'none' is not in"),
        ("shop,a:1,orders,\nshop,a:1,other,", "feeds.csv:2: source 'shop' occurs 2 times"),
        ("shop,a:1", "feeds.csv:2: expected 4 cells"),
    ],
)
def test_a_line_that_is_no_feed_is_reported(tmp_path: Path, line: str, said: str) -> None:
    table = tmp_path / "feeds.csv"
    table.write_text(f"source_name,bootstrap_servers,topics,topic_pattern\n{line}\n")
    with pytest.raises(WatershedError, match=said):
        feeds_of(table, SOURCES)


def test_properties_come_from_a_file_and_the_environment(tmp_path: Path) -> None:
    config = tmp_path / "client.properties"
    config.write_text("# of the bank\nsecurity.protocol = SASL_SSL\n\nsasl.jaas.config=a \\\n  b;\nssl.x=1\n")
    found = client_properties(config, {"WATERSHED_KAFKA_SSL_X": "2", "WATERSHED_HOME": "/x"})
    assert found == {"security.protocol": "SASL_SSL", "sasl.jaas.config": "a b;", "ssl.x": "2"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a=1\npassword hunter2\n", "client.properties:2: expected name=value"),
        ("isolation.level=read_uncommitted", "client.properties:1: isolation.level must not be set"),
    ],
)
def test_a_line_that_is_no_property_is_reported_without_its_text(tmp_path: Path, text: str, said: str) -> None:
    config = tmp_path / "client.properties"
    config.write_text(text)
    with pytest.raises(WatershedError, match=said) as told:
        client_properties(config, {})
    assert "hunter2" not in str(told.value)


def test_a_time_without_a_zone_is_utc() -> None:
    assert moment("1970-01-01T00:00:01") == 1000
    assert moment("1970-01-01T08:00:01+08:00") == 1000
    with pytest.raises(WatershedError, match="--start yesterday: expected earliest, latest or a time"):
        moment("yesterday")


def test_options_name_one_feed() -> None:
    assert one_feed(SOURCES, "shop", "a:1", ["x", "y"], "").topics == ("x", "y")
