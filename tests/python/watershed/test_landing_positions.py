"""Positions of files: their topic and partition, and detection of landed files (ADR 0023)."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given
from hypothesis import strategies as st
from landed import LAND, ONE, land, messages, version

from watershed.home import Home
from watershed.landing import landed_files
from watershed.landing import tables as landing
from watershed.landing.delta_files import append
from watershed.landing.delta_reads import add_actions
from watershed.landing.land import natural_order
from watershed.landing.tables import FILES_SCHEMA, MESSAGES_SCHEMA, ensure_landing_tables, next_batch
from watershed.lock import waiting_lock
from watershed.maintenance.maintain import maintain

OLD_COLUMNS = 10
ROW = {"format": "oms_canal", "topic": "t", "partition": 0, "offset": 0, "value": b"{}"}
_number = itertools.count()


def write(path: Path, *lines: str) -> Path:
    """Write a file of lines; without any, of one that no other file has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines or [f'{{"id":{next(_number)}}}']))
    return path


def places(home: Home, *columns: str) -> list[tuple[object, ...]]:
    names = columns or ("file_name", "topic", "partition", "offset")
    return [tuple(row[name] for name in names) for row in messages(home)]


def stream(home: Home, **columns: object) -> None:
    """Append a message as a stream from Kafka does."""
    batch_id, landed_at = next_batch(home)
    row = ROW | {"landed_at": landed_at, "batch_id": batch_id, "source_name": "bank"} | columns
    write_deltalake(home.messages, pa.Table.from_pylist([row], MESSAGES_SCHEMA), mode="append")


def make_old_tables(home: Home) -> None:
    """Make the tables of landing without the columns that the first version did not have, and land a file in them."""
    messages_schema = pa.schema(list(MESSAGES_SCHEMA)[:OLD_COLUMNS])
    files_schema = pa.schema(list(FILES_SCHEMA)[:6])
    DeltaTable.create(home.messages, messages_schema, partition_by=["format"])
    DeltaTable.create(home.files, files_schema)
    landed = {"landed_at": pa.scalar(0, pa.timestamp("us", tz="UTC")).as_py(), "batch_id": "old", "source_name": "bank"}
    row = ROW | landed | {"topic": "day.jsonl", "value": b'{"id":"old"}'}
    digest = "0bd3d3ea3b0f5a97b9bb16e0e3f3d2a2"
    file = landed | {"file_name": "day.jsonl", "file_sha256": digest, "message_count": 1}
    columns = ("source_name", "batch_id", "topic", "partition", "offset", "landed_at")
    with waiting_lock(home.landing_lock, print):
        batch = pa.RecordBatch.from_pylist([file], schema=files_schema)
        append(home, home.files, [batch], ["file_sha256", "batch_id"])
        batch = pa.RecordBatch.from_pylist([row], schema=messages_schema)
        append(home, home.messages, [batch], columns, "format")


def test_files_of_one_name_are_two_partitions(project: Path, home: Home) -> None:
    """Yesterday's and today's export have one name; their lines are not mixed."""
    for day, lines in (("day1", ['{"d":1}', '{"d":2}']), ("day2", ['{"d":3}'])):
        assert land("--source", "bank", "--as", "lines", write(project / day / "daily.jsonl", *lines)) == 0
    assert places(home) == [
        ("daily.jsonl", "bank", 0, 0),
        ("daily.jsonl", "bank", 0, 1),
        ("daily.jsonl", "bank", 1, 0),
    ]


@pytest.mark.parametrize("names", [("part9", "part10"), ("part10", "part9"), ("b", "a", "c")])
def test_files_of_one_call_are_numbered_as_they_are_named(project: Path, home: Home, names: tuple[str, ...]) -> None:
    files = [write(project / name) for name in names]
    assert land("--source", "bank", "--as", "bytes", *files) == 0
    assert sorted(places(home, "partition", "file_name", "topic")) == [
        (number, name, "bank") for number, name in enumerate(names)
    ]


def test_files_of_a_folder_are_numbered_in_natural_order(project: Path, home: Home) -> None:
    for name in ("part10.jsonl", "part9.jsonl", "part1.jsonl", "part010.jsonl"):
        write(project / "tree" / "bank" / name)
    write(project / "tree" / "shop" / "a.jsonl")
    assert land("--tree", "tree", "--as", "lines") == 0
    assert sorted(places(home, "topic", "partition", "file_name")) == [
        ("bank", 0, "part1.jsonl"),
        ("bank", 1, "part9.jsonl"),
        ("bank", 2, "part010.jsonl"),
        ("bank", 3, "part10.jsonl"),
        ("shop", 0, "a.jsonl"),
    ]


@given(st.permutations(range(0, 1200, 97)), st.sampled_from(["part{}.jsonl", "{}", "day-{}-2", "a1b{}"]))
def test_natural_order_is_that_of_the_numbers(numbers: list[int], name: str) -> None:
    names = [name.format(number) for number in numbers]
    assert sorted(names, key=natural_order) == [name.format(number) for number in sorted(numbers)]


@given(st.lists(st.text("a09.", max_size=6), unique=True))
def test_natural_order_does_not_depend_on_the_order_of_the_folder(names: list[str]) -> None:
    assert sorted(names, key=natural_order) == sorted(sorted(names), key=natural_order)


def test_an_order_that_a_shell_made_is_warned_of(project: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    ninth, tenth = write(project / "part9.jsonl"), write(project / "part10.jsonl")
    assert land("--source", "bank", "--as", "lines", tenth, ninth) == 0
    assert "in the order in which they are named: part10.jsonl before part9.jsonl" in capsys.readouterr().err
    assert land("--source", "shop", "--as", "lines", ninth, tenth) == 0
    assert capsys.readouterr().err == ""


def test_the_topic_is_given_or_the_source_or_names_the_table(project: Path, home: Home) -> None:
    with (project / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("tuples,datahub_tuple,\n")
    for source, *words in (
        ("bank",),
        ("bank", "--topic", "mine"),
        ("tuples",),
        ("tuples", "--topic", "mine"),
        ("tuples",),
    ):
        assert land("--source", source, "--as", "lines", *words, write(project / "orders")) == 0
    assert places(home, "source_name", "topic", "partition") == [
        ("bank", "bank", 0),
        ("bank", "mine", 0),
        ("tuples", "orders", 0),
        ("tuples", "mine", 0),
        ("tuples", "orders", 1),
    ]


def test_partitions_of_envelopes_streams_and_other_sources_are_never_shared(project: Path, home: Home) -> None:
    ensure_landing_tables(home)
    write(project / "envelope.jsonl", ONE.strip().replace("orders", "bank"))
    assert land("--source", "bank", "envelope.jsonl") == 0  # partition 3
    stream(home, topic="bank", partition=1)
    stream(home, topic="bank", partition=9, source_name="shop")
    stream(home, topic="other", partition=7)
    assert land("--source", "bank", "--as", "lines", write(project / "a.jsonl")) == 0
    assert messages(home)[-1]["partition"] == 4
    assert messages(home)[0]["file_name"] == "envelope.jsonl"
    assert {row["file_name"] for row in messages(home)[1:-1]} == {None}


def test_numbers_go_on_after_the_table_was_compacted(project: Path, home: Home) -> None:
    sources = ("shop", "other_shop")
    for number in range(10):
        assert land("--source", sources[number % 2], "--as", "lines", write(project / f"{number}.jsonl")) == 0
    maintain(False, 7)
    assert len(DeltaTable(home.messages).file_uris()) == 1, "statistics of two sources decide nothing"
    for source in (*sources, *sources):
        assert land("--source", source, "--as", "lines", write(project / f"more of {source}.jsonl")) == 0
    assert [(row["source_name"], row["partition"]) for row in messages(home)[10:]] == [
        ("shop", 5),
        ("other_shop", 5),
        ("shop", 6),
        ("other_shop", 6),
    ]
    assert messages(home)[0]["file_name"] == "0.jsonl"


def test_a_landed_file_counts_as_landed_if_bytes_source_and_mode_are_equal(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(project / "one.json", '{"id":1}')
    assert land("--source", "bank", "--as", "lines", file) == 0
    assert land("--source", "bank", "--as", "bytes", file) == 0
    assert [row["value"] for row in messages(home)] == [b'{"id":1}', b'{"id":1}\n']
    for mode in ("lines", "bytes"):
        assert land("--source", "bank", "--as", mode, file) == 0
        assert f"Skipped {file}: these bytes landed before as one.json" in capsys.readouterr().out
    assert land("--source", "bank", "--as", "lines", "--topic", "bank", file) == 0
    assert "these bytes landed before as one.json" in capsys.readouterr().out
    assert version(home) == 2
    assert land("--source", "bank", "--as", "lines", "--topic", "other", file) == 0
    assert places(home, "topic", "partition")[-1] == ("other", 0)
    assert land("--source", "bank", "--as", "lines", "--topic", "other", file) == 0
    assert version(home) == 3


def test_processes_that_land_at_once_take_different_numbers(project: Path, home: Home) -> None:
    files = [write(project / f"{number}.jsonl") for number in range(4)]
    command = [sys.executable, "-c", LAND, "land", "--source", "bank", "--as", "lines"]
    running = [subprocess.Popen([*command, str(file)], cwd=project) for file in files]
    assert [process.wait(60) for process in running] == [0] * 4
    assert sorted(places(home, "partition")) == [(0,), (1,), (2,), (3,)]


def test_another_machine_that_took_the_number_first_is_seen(
    project: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a store the landing lock is of one machine: the number is checked by the commit itself."""
    shared = Home(home.root, home.root / "store")
    ensure_landing_tables(shared)
    commit = landing._commit_files
    overtaken: list[bool] = []

    def overtake(*arguments: object) -> None:
        commit(*arguments)  # type: ignore[arg-type]
        if not overtaken:
            overtaken.append(True)
            stream(shared, topic="bank", partition=0)

    monkeypatch.setattr(landing, "_commit_files", overtake)
    monkeypatch.setattr("watershed.landing.land.find_home", lambda _: shared)
    assert land("--source", "bank", "--as", "lines", write(project / "a.jsonl")) == 0
    assert set(places(shared, "file_name", "partition")) == {(None, 0), ("a.jsonl", 1)}


def test_tables_of_before_get_the_columns_and_keep_their_rows(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    make_old_tables(home)
    old = messages(home)
    assert land("--source", "bank", "--as", "lines", write(project / "day.jsonl")) == 0
    table = DeltaTable(home.messages)
    assert [field.name for field in table.schema().fields] == MESSAGES_SCHEMA.names
    assert [field.name for field in DeltaTable(home.files).schema().fields] == FILES_SCHEMA.names
    assert (table.protocol().min_reader_version, table.protocol().min_writer_version) == (1, 2)
    assert messages(home)[0] == old[0], "no row was written again"
    assert places(home, "topic", "partition")[1:] == [("bank", 0)]
    # A topic of that time is a file's name; whoever names it gets another partition of it.
    assert land("--source", "bank", "--as", "lines", "--topic", "day.jsonl", write(project / "more")) == 0
    assert places(home, "topic", "partition")[2:] == [("day.jsonl", 1)]
    maintain(False, 7)
    stream(home)
    assert messages(home)[-1]["file_name"] is None


def test_the_number_is_found_by_statistics_and_few_columns(
    project: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large landing table: nothing is read where statistics decide, and no file that has no higher partition."""
    for number in range(3):
        assert land("--source", "bank", "--as", "lines", write(project / f"{number}.jsonl")) == 0
    write(project / "mixed.jsonl", *(ONE.strip().replace("orders", topic) for topic in ("a", "bank", "z")))
    assert land("--source", "bank", "mixed.jsonl") == 0  # one data file of three topics, partition 3
    read: list[str] = []
    read_columns = landed_files.read_columns

    def noted(table: Path, add: dict[str, object], columns: list[str]) -> pa.Table:
        read.append(str(add["path"]))
        return read_columns(table, add, columns)

    monkeypatch.setattr(landed_files, "read_columns", noted)
    assert land("--source", "bank", "--as", "lines", write(project / "next.jsonl")) == 0
    assert messages(home)[-1]["partition"] == 4
    assert len(read) == 1, "only the file of three topics"
    assert land("--source", "bank", "--as", "lines", write(project / "after.jsonl")) == 0
    assert messages(home)[-1]["partition"] == 5
    assert len(read) == 1, "partition 4 is higher than all of that file"
    assert land("--source", "bank", "--as", "lines", "--topic", "new", write(project / "new.jsonl")) == 0
    assert messages(home)[-1]["partition"] in (0, 5)


def test_a_file_without_statistics_is_read(project: Path, home: Home) -> None:
    assert land("--source", "bank", "--as", "lines", write(project / "0.jsonl")) == 0
    adds = add_actions(DeltaTable(home.messages))
    bare = [{"path": add["path"]} for add in adds]
    assert landed_files._highest_partitions(home.messages, bare, {("bank", "bank"), ("bank", "x")}) == {
        ("bank", "bank"): 0,
        ("bank", "x"): -1,
    }
    assert pq.ParquetFile(unquote(DeltaTable(home.messages).file_uris()[0])).metadata.num_rows == 1
