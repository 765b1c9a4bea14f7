"""Landing: bytes as sent, one commit per call."""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from landed import ONE, commits, land, messages, version

from watershed.home import Home
from watershed.landing import tables as landing
from watershed.landing.messages import InputFile, Mode, scan_file
from watershed.landing.tables import ensure_landing_tables, next_batch, streamed_messages


def test_an_envelope_lands_as_sent(project: Path, home: Home) -> None:
    (project / "a.jsonl").write_text(ONE)
    assert land("--source", "shop", "a.jsonl") == 0
    (row,) = messages(home)
    assert row["landed_at"].tzinfo is not None
    assert abs(row.pop("landed_at") - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=1)
    assert len(row.pop("batch_id")) == 30
    assert row == {
        "source_name": "shop",
        "format": "datahub_blob",
        "topic": "orders",
        "partition": 3,
        "offset": 7,
        "key": b"k",
        "value": b"v",
        "sent_at": dt.datetime(2020, 11, 14, 7, 45, 32, 736000, dt.UTC),
        "file_name": "a.jsonl",
    }


def test_the_table_is_what_spark_expects(home: Home) -> None:
    ensure_landing_tables(home)
    ensure_landing_tables(home)
    table = DeltaTable(home.messages)
    assert {field.name: field.type.type for field in table.schema().fields} == {
        "source_name": "string",
        "format": "string",
        "topic": "string",
        "partition": "integer",
        "offset": "long",
        "key": "binary",
        "value": "binary",
        "sent_at": "timestamp",
        "landed_at": "timestamp",
        "batch_id": "string",
        "file_name": "string",
    }
    assert table.metadata().partition_columns == ["format"]
    protocol = table.protocol()
    assert (protocol.min_reader_version, protocol.min_writer_version) == (1, 2)
    assert version(home) == 0


def test_statistics_leave_keys_and_values_out(project: Path, home: Home) -> None:
    (project / "a.jsonl").write_text(ONE)
    land("--source", "shop", "a.jsonl")
    (add,) = [action["add"] for action in commits(home)[-1] if "add" in action]
    names = {"source_name", "batch_id", "topic", "partition", "offset", "landed_at"}
    statistics = json.loads(add["stats"])
    assert set(statistics["minValues"]) == set(statistics["maxValues"]) == names
    assert statistics["nullCount"] == dict.fromkeys(names, 0)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"one", [b"one"]),
        (b"one\n", [b"one"]),
        (b"one\r\n\r\ntwo\rhalf\n\n\xff\x00", [b"one", b"", b"two\rhalf", b"", b"\xff\x00"]),
    ],
)
def test_lines_land_byte_for_byte(project: Path, home: Home, content: bytes, values: list[bytes]) -> None:
    (project / "orders.log.txt").write_bytes(content)
    assert land("--source", "shop", "--as", "lines", "--force", "orders.log.txt") == 0
    rows = messages(home)
    assert [row["value"] for row in rows] == values
    assert [(row["topic"], row["partition"], row["offset"]) for row in rows] == [
        ("shop", 0, number) for number in range(len(values))
    ]
    assert all(row["key"] is None and row["sent_at"] is None for row in rows)
    assert all(row["file_name"] == "orders.log.txt" for row in rows)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\r\n\n"])
def test_a_whole_file_lands_as_one_value(project: Path, home: Home, content: bytes) -> None:
    (project / "event.bin").write_bytes(content)
    assert land("--source", "shop", "--as", "bytes", "event.bin") == 0
    (row,) = messages(home)
    assert (row["topic"], row["partition"], row["offset"], row["value"]) == ("shop", 0, 0, content)
    assert row["file_name"] == "event.bin"


def test_jsonl_lands_as_lines_when_asked(project: Path, home: Home) -> None:
    (project / "a.jsonl").write_text('{"id": 1}\n')
    assert land("--source", "shop", "a.jsonl", "--as", "lines") == 0
    assert [row["value"] for row in messages(home)] == [b'{"id": 1}']


def test_a_tree_of_many_sources_is_one_commit(project: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    for source in ("shop", "bank"):
        folder = project / "tree" / source
        folder.mkdir(parents=True)
        for name in ("b.jsonl", "a.jsonl", ".hidden"):
            (folder / name).write_text(ONE.replace("orders", source + name))
    ensure_landing_tables(home)
    assert land("--tree", "tree") == 0
    assert version(home) == 1
    rows = messages(home)
    assert len({row["batch_id"] for row in rows}) == len({row["landed_at"] for row in rows}) == 1
    assert [(row["source_name"], row["format"], row["topic"]) for row in rows] == [
        ("bank", "oms_canal", "banka.jsonl"),
        ("bank", "oms_canal", "bankb.jsonl"),
        ("shop", "datahub_blob", "shopa.jsonl"),
        ("shop", "datahub_blob", "shopb.jsonl"),
    ]
    output = capsys.readouterr().out
    assert f"Landed 4 messages of 4 files as batch {rows[0]['batch_id']}." in output
    size = str(2 * (len(ONE) - len("orders") + len("shopa.jsonl")))
    assert [line.split() for line in output.splitlines()[-4:-2]] == [
        ["bank", "oms_canal", "2", "2", size, "0"],
        ["shop", "datahub_blob", "2", "2", size, "0"],
    ]


def test_the_same_bytes_of_the_same_source_land_once(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.jsonl", "copy.jsonl"):
        (project / name).write_text(ONE)
    assert land("--source", "shop", "a.jsonl", "copy.jsonl") == 0
    assert "Skipped copy.jsonl: the same bytes as a.jsonl." in capsys.readouterr().out
    (row,) = messages(home)
    assert land("--source", "shop", "copy.jsonl") == 0
    output = capsys.readouterr().out
    assert f"Skipped copy.jsonl: these bytes landed before as a.jsonl (batch {row['batch_id']})." in output
    assert "Nothing new has landed." in output
    assert version(home) == 1
    assert land("--source", "other_shop", "a.jsonl") == 0
    assert [row["source_name"] for row in messages(home)] == ["shop", "other_shop"]


def test_messages_without_a_file_are_counted_also_after_spark_rewrote_the_table(project: Path, home: Home) -> None:
    for source, name in (("shop", "1.jsonl"), ("bank", "2.jsonl")):
        (project / name).write_text(ONE)
        land("--source", source, name)
    rows = pq.ParquetFile(unquote(DeltaTable(home.messages).file_uris()[0])).read()
    batch_id, _ = next_batch(home)
    rows = rows.append_column("format", pa.array(["oms_canal"])).set_column(
        rows.schema.get_field_index("batch_id"), "batch_id", pa.array([batch_id])
    )
    write_deltalake(home.messages, rows, mode="append")
    (expected,) = {row["source_name"] for row in rows.to_pylist()}
    assert [(row["source_name"], row["message_count"]) for row in streamed_messages(home)] == [(expected, 1)]
    DeltaTable(home.messages).optimize.compact()
    assert [(row["source_name"], row["message_count"]) for row in streamed_messages(home)] == [(expected, 1)]


def test_a_landed_file_is_known_after_spark_rewrote_the_table(project: Path, home: Home) -> None:
    for number in range(3):
        (project / f"{number}.jsonl").write_text(ONE.replace("7", str(number)))
        land("--source", "shop", f"{number}.jsonl")
    DeltaTable(home.messages).optimize.compact()
    assert len(DeltaTable(home.messages).file_uris()) == 1
    last = version(home)
    for number in range(3):
        assert land("--source", "shop", f"{number}.jsonl") == 0
    assert version(home) == last
    (project / "new.jsonl").write_text(ONE)
    land("--source", "shop", "new.jsonl")
    rows = messages(home)
    assert len(rows) == 4
    assert len({row["landed_at"] for row in rows}) == 4


def test_a_file_without_messages_is_no_batch(project: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "empty.jsonl").write_text("")
    assert land("--source", "shop", "empty.jsonl") == 0
    assert capsys.readouterr().out == "No messages in empty.jsonl.\nNothing new has landed.\n"
    assert version(home) == 0


def test_one_bad_line_keeps_the_whole_call_out(project: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "good.jsonl").write_text(ONE)
    (project / "bad.jsonl").write_text(ONE + ONE.replace("}", ',"more":1}'))
    ensure_landing_tables(home)
    assert land("--source", "shop", "good.jsonl", "bad.jsonl") == 2
    error = capsys.readouterr().err
    assert error.startswith("watershed land: bad.jsonl:2: Object contains unknown field `more`. Nothing of this call")
    assert version(home) == 0
    assert messages(home) == []


def test_landed_at_rises_with_every_batch_even_if_the_clock_does_not(
    project: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:
            return dt.datetime(2026, 1, 1, 0, 0, 0, 999_999, tz)

    monkeypatch.setattr(landing.dt, "datetime", Stopped)
    for number in range(4):
        (project / "a.jsonl").write_text(ONE.replace("7", str(number)))
        land("--source", "shop", "a.jsonl")
    times = [row["landed_at"] for row in messages(home)]
    start = dt.datetime(2026, 1, 1, 0, 0, 0, 999_000, dt.UTC)
    assert times == [start + dt.timedelta(milliseconds=number) for number in range(4)]
    batches = [row["batch_id"] for row in messages(home)]
    assert batches == sorted(set(batches))


def test_fifty_thousand_lines_land_in_order(project: Path, home: Home) -> None:
    with (project / "big.jsonl").open("w") as file:
        for number in range(50_000):
            value = json.dumps({"number": number, "note": 'it\'s "x" \\ \u00e9' + "y" * 400})
            envelope = {"topic": "t", "partition": 0, "offset": number, "key": str(number), "value": value}
            file.write(json.dumps(envelope) + "\n")
    assert land("--source", "shop", "big.jsonl") == 0
    rows = messages(home)
    assert [row["offset"] for row in rows] == list(range(50_000))
    assert all(json.loads(row["value"])["number"] == row["offset"] == int(row["key"]) for row in rows)
    assert version(home) == 1


def test_watershed_home_moves_the_data(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    monkeypatch.setenv("WATERSHED_HOME", str(elsewhere))
    (project / "a.jsonl").write_text(ONE)
    os.chdir(project / "seeds")
    assert land("--source", "shop", "../a.jsonl") == 0
    assert len(messages(Home(elsewhere))) == 1
    assert not (project / ".watershed").exists()


@pytest.mark.parametrize(
    ("mode", "content", "where"),
    [
        ("lines", b"one\n" + b"x" * 3_000_000 + b"\n", "a.txt:2: more than"),
        ("bytes", b"x" * 3_000_000, "a.txt:1: more than"),
        ("envelope", b'{"topic":"' + b"x" * 6_000_000, "a.txt:1: more than"),
        (
            "envelope",
            ONE.replace('"v"', '"' + "x" * 3_000_000 + '"').encode(),
            "a.txt:1: the value has 3,000,000 bytes",
        ),
        ("envelope", ONE.replace('"k"', '"' + "\u00e9" * 1_100_000 + '"').encode(), "a.txt:1: the key has 2,200,000"),
    ],
)
def test_a_value_too_large_is_refused_while_it_is_read(
    project: Path,
    home: Home,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    content: bytes,
    where: str,
) -> None:
    monkeypatch.setattr("watershed.landing.messages.MAX_VALUE_BYTES", 2_097_152)
    monkeypatch.setattr("watershed.landing.messages.MAX_LINE_BYTES", 4_194_304)
    monkeypatch.setattr("watershed.landing.envelope.MAX_VALUE_BYTES", 2_097_152)
    (project / "a.txt").write_bytes(content)
    assert land("--source", "shop", "--as", mode, "a.txt") == 2
    error = capsys.readouterr().err
    assert where in error
    assert "xxx" not in error
    assert not home.messages.exists()


def test_one_huge_value_shows_progress(project: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for mode in ("lines", "bytes"):
        path = project / "huge.txt"
        path.write_bytes(b"x" * 5_000_000 + b"\n")
        done: list[int] = []
        scan_file(InputFile(path, "shop", "datahub_blob", Mode(mode)), done.append)
        assert sum(done) == 5_000_001
        assert len(done) > 4


def test_large_messages_are_in_small_row_groups(project: Path, home: Home) -> None:
    """Spark reads a row group as a whole; delta-rs's own writer fails at 2 GiB of messages however it is bounded."""
    with (project / "a.jsonl").open("w") as file:
        for number in range(40):
            file.write(ONE.replace("7", str(number)).replace('"v"', '"' + "x" * 2_000_000 + '"'))
    assert land("--source", "shop", "a.jsonl") == 0
    (path,) = DeltaTable(home.messages).file_uris()
    metadata = pq.ParquetFile(unquote(path)).metadata
    rows = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
    assert sum(rows) == 40
    assert max(rows) * 2_000_000 <= landing.BYTES_AT_ONCE + 2_000_000
    assert [row["offset"] for row in messages(home)] == list(range(40))
