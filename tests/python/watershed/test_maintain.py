"""`watershed maintain` on landing: the same messages in fewer files, and no needed file removed."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from landed import LAND, ONE, commits, land, messages, version

from watershed.cli import main
from watershed.home import Home
from watershed.landing import compaction
from watershed.landing.tables import (
    BYTES_AT_ONCE,
    MESSAGES_SCHEMA,
    add_actions,
    landed_files,
    next_batch,
    streamed_messages,
)
from watershed.maintenance.maintain import maintain as maintain_all
from watershed.maintenance.survey import survey

BATCHES = 10
FORMATS = ("datahub_blob", "oms_canal")
MAINTAIN = "import sys; from watershed.cli import main; main(['maintain'])"


def maintain(*options: str) -> str:
    done = CliRunner().invoke(main, ["maintain", *options], prog_name="watershed")
    assert done.exit_code == 0, done.output
    return done.output


def stream(home: Home, number: int, **columns: object) -> None:
    """Append a message as a batch of a stream from Kafka, which notes its number."""
    batch_id, landed_at = next_batch(home)
    row = {"source_name": "bank", "format": "oms_canal", "topic": "t", "partition": 0, "offset": number, "value": b"v"}
    rows = pa.Table.from_pylist([row | {"landed_at": landed_at, "batch_id": batch_id} | columns], MESSAGES_SCHEMA)
    noted = CommitProperties(app_transactions=[Transaction("watershed-kafka/bank/1", number)])
    write_deltalake(home.messages, rows, mode="append", commit_properties=noted)


def grow_old(files: list[Path], days: int) -> None:
    then = time.time() - days * 86400
    for file in files:
        os.utime(file, (then, then))


def on_disk(home: Home) -> dict[str, tuple[int, float]]:
    return {
        path.relative_to(home.root).as_posix(): (path.stat().st_size, path.stat().st_mtime)
        for path in home.root.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


def spark_messages(home: Home) -> list[dict[str, Any]]:
    """Return all messages with times to the microsecond, in their order."""
    rows: list[dict[str, Any]] = []
    for path in map(unquote, DeltaTable(home.messages).file_uris()):
        schema = MESSAGES_SCHEMA.remove(MESSAGES_SCHEMA.get_field_index("format"))
        table = pq.ParquetFile(path, coerce_int96_timestamp_unit="us").read(columns=schema.names)
        rows += table.cast(schema).to_pylist()
    return sorted(rows, key=lambda row: (row["landed_at"], row["source_name"]))


def row_of(told: str, table: str) -> list[str]:
    """Return the cells of a table's row."""
    (line,) = [line for line in told.splitlines() if line.startswith(table)]
    return line.split()


def data_files(home: Home) -> set[str]:
    return {path.name for path in home.messages.rglob("*.parquet") if "_delta_log" not in path.parts}


@pytest.fixture
def landed(project: Path, home: Home) -> Home:
    """Land a file per batch, of two sources; between them the batches of a stream."""
    for number in range(BATCHES):
        for source in ("shop", "other_shop"):
            (project / "a.jsonl").write_text(ONE.replace("7", str(number)))
            land("--source", source, "a.jsonl")
        stream(home, number)
    return home


def test_the_same_messages_lie_in_few_files(landed: Home) -> None:
    home = landed
    before, files, streamed = messages(home), landed_files(home), streamed_messages(home)
    adds = add_actions(DeltaTable(home.messages))
    newest = {
        name: max(add["modification_time"] for add in adds if add["partition.format"] == name) for name in FORMATS
    }
    maintain()
    table = DeltaTable(home.messages)
    found = {add["partition.format"]: add for add in add_actions(table)}
    assert sorted(found) == sorted(FORMATS)
    assert len(table.file_uris()) == 2
    assert len(DeltaTable(home.files).file_uris()) == 1
    assert messages(home) == before
    assert sorted(map(str, landed_files(home))) == sorted(map(str, files))
    assert sorted(map(str, streamed_messages(home))) == sorted(map(str, streamed))
    # Existing rows keep their age: a test of each build reads batches that existed at its start.
    assert {name: add["modification_time"] for name, add in found.items()} == newest
    # In the order in which they landed, so that the newest batches lie together.
    (path,) = [unquote(uri) for uri in table.file_uris() if "datahub_blob" in uri]
    batches = pq.ParquetFile(path).read(columns=["batch_id"])["batch_id"].to_pylist()
    assert batches == sorted(batches)
    assert found["datahub_blob"]["min.batch_id"] == batches[0] < batches[-1] == found["datahub_blob"]["max.batch_id"]
    assert table.metadata().partition_columns == ["format"]
    assert (table.protocol().min_reader_version, table.protocol().min_writer_version) == (1, 2)


def test_the_commits_change_no_data(landed: Home) -> None:
    last = version(landed)
    maintain()
    changes = [action for commit in commits(landed)[last + 1 :] for action in commit]
    for kind, count in (("add", 2), ("remove", 3 * BATCHES)):
        of_kind = [action[kind]["dataChange"] for action in changes if kind in action]
        assert of_kind == [False] * count


def test_again_nothing_is_left_to_do(landed: Home) -> None:
    maintain()
    last, files = version(landed), on_disk(landed)
    maintain()
    assert version(landed) == last
    assert on_disk(landed) == files


def test_few_small_files_stay(project: Path, home: Home) -> None:
    for number in range(compaction.FEWEST - 1):
        (project / "a.jsonl").write_text(ONE.replace("7", str(number)))
        land("--source", "shop", "a.jsonl")
    last = version(home)
    maintain()
    assert version(home) == last


def test_landing_goes_on_after_it(landed: Home, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maintain()
    rows = len(messages(landed))
    assert land("--source", "shop", "a.jsonl") == 0
    assert "these bytes landed before as a.jsonl" in capsys.readouterr().out
    (project / "a.jsonl").write_text(ONE.replace("7", "77"))
    assert land("--source", "shop", "a.jsonl") == 0
    stream(landed, BATCHES)
    assert len(messages(landed)) == rows + 2
    assert max(row["landed_at"] for row in messages(landed)) == messages(landed)[-1]["landed_at"]


def test_landed_batches_of_a_stream_stay_known(landed: Home) -> None:
    """Otherwise it would land its last batch again; also after a checkpoint, and if the log before it is removed."""
    maintain()
    table = DeltaTable(landed.messages)
    table.create_checkpoint()
    for file in (landed.messages / "_delta_log").iterdir():
        grow_old([file], 60)
    table.cleanup_metadata()
    assert len(list((landed.messages / "_delta_log").glob("*.json"))) == 1
    assert DeltaTable(landed.messages).transaction_version("watershed-kafka/bank/1") == BATCHES - 1


def test_large_messages_are_in_small_row_groups(project: Path, home: Home) -> None:
    """Spark reads a row group as a whole; these take 2 MB in files of a few kB."""
    for number in range(BATCHES):
        with (project / "a.jsonl").open("w") as file:
            for offset in range(3):
                value = "x" * 2_000_000 + str(offset)
                file.write(ONE.replace("7", str(number * 3 + offset)).replace('"v"', f'"{value}"'))
        land("--source", "shop", "a.jsonl")
    before = messages(home)
    maintain()
    (path,) = DeltaTable(home.messages).file_uris()
    metadata = pq.ParquetFile(unquote(path)).metadata
    rows = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
    assert max(rows) * 2_000_000 <= BYTES_AT_ONCE + 2_000_000
    assert min(rows[:-1]) > 1
    assert messages(home) == before


def test_times_stay_as_spark_wrote_them(landed: Home) -> None:
    """Those of far years have too many nanoseconds."""
    far = dt.datetime(9999, 12, 31, 23, 59, 59, 999000, dt.UTC)
    for number in range(BATCHES):
        stream(landed, BATCHES + number, format="lindorm_sql", sent_at=far, value=None)
    for path in map(unquote, DeltaTable(landed.messages).file_uris()):
        table = pq.ParquetFile(path).read()
        # What a stream writes (optimizeWrite) has the column of the partition too.
        table = table.append_column("format", pa.array([Path(path).parent.name.partition("=")[2]] * len(table)))
        pq.write_table(table, path, use_deprecated_int96_timestamps=True)
    before = spark_messages(landed)
    assert far in {row["sent_at"] for row in before}
    maintain()
    assert len(DeltaTable(landed.messages).file_uris()) == 3
    assert spark_messages(landed) == before


def test_files_of_another_version_stay_for_a_week(landed: Home) -> None:
    before, last = messages(landed), version(landed)
    maintain()
    for file in landed.messages.rglob("*.parquet"):
        grow_old([file], 30)
    maintain()
    # Who reads an older version, as a build that goes on, reads the same.
    table = DeltaTable(landed.messages, version=last)
    assert len(table.file_uris()) == 3 * BATCHES
    assert all(Path(unquote(uri)).is_file() for uri in table.file_uris())

    # Removed so long ago, they go.
    found = survey(landed.messages, keep_days=0)
    assert len(found.removable) == 3 * BATCHES
    maintain_all(is_dry_run=False, keep_days=0)
    assert data_files(landed) == {Path(unquote(uri)).name for uri in DeltaTable(landed.messages).file_uris()}
    assert messages(landed) == before


def test_files_of_a_killed_stream_are_removed_after_a_week(landed: Home) -> None:
    folder = landed.messages / "format=oms_canal"
    left = [folder / f"part-0000{number}-killed.c000.snappy.parquet" for number in range(2)]
    for file in left:
        file.write_bytes(b"not all of a file")
    grow_old(left[:1], 8)
    told = maintain("--dry-run")
    assert row_of(told, "landing.messages")[4:] == ["2", "34", "1", "17"]
    told = maintain()
    assert row_of(told, "landing.messages")[4:6] == ["1", "17"]
    assert [file.exists() for file in left] == [False, True]
    assert maintain("--keep-days", "1")
    assert left[1].exists()


def test_a_dry_run_changes_nothing(landed: Home) -> None:
    files = on_disk(landed)
    told = maintain("--dry-run")
    assert on_disk(landed) == files
    assert "Dry run, nothing was changed." in told
    count = str(3 * BATCHES)
    assert row_of(told, "landing.messages")[1::2][:2] == [count, count]
    assert row_of(told, "landing.files")[3] == str(2 * BATCHES)
    assert row_of(maintain(), "landing.messages")[1:3] == [count, "2"]


def test_dry_run_counts_only_files_that_the_command_compacts(landed: Home) -> None:
    """Builds compact the tables of dbt, and no command compacts landing.avro_schemas."""
    tables = {"watershed.events": landed.warehouse / "watershed.db" / "events"}
    tables["landing.avro_schemas"] = landed.avro_schemas
    for path in tables.values():
        for number in range(BATCHES):
            write_deltalake(path, pa.table({"id": [number]}), mode="append", schema_mode="merge")
        assert survey(path, keep_days=7).small == BATCHES
    for printed in (maintain("--dry-run"), maintain(), maintain("--dry-run")):
        assert {row_of(printed, name)[1] for name in tables} == {str(BATCHES)}
        if "Dry run" in printed:
            assert {row_of(printed, name)[3] for name in tables} == {"0"}
    assert row_of(printed, "landing.messages")[3] == "0"


def test_killed_in_the_middle_it_leaves_the_tables_readable(landed: Home, project: Path) -> None:
    before = messages(landed)
    killed = """
import os
from deltalake import DeltaTable
from watershed.maintenance import maintain
from watershed.cli import main
DeltaTable.create_write_transaction = lambda *_, **__: os.kill(os.getpid(), 9)
main(["maintain"])
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9
    assert len(data_files(landed)) == 3 * BATCHES + 1
    assert messages(landed) == before
    # The next writer removes files without a commit.
    assert land("--source", "shop", "a.jsonl") == 0
    assert len(data_files(landed)) == 3 * BATCHES
    maintain()
    assert messages(landed) == before


def test_alongside_landing_nothing_is_lost(landed: Home, project: Path) -> None:
    commands = [[sys.executable, "-c", MAINTAIN]]
    for number in range(3):
        (project / f"{number}.jsonl").write_text(ONE.replace("7", f"10{number}"))
        commands.append([sys.executable, "-c", LAND, "land", "--source", "shop", f"{number}.jsonl"])
    before = len(messages(landed))
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert len(messages(landed)) == before + 3
    assert len({row["batch_id"] for row in messages(landed)}) == before + 3


def test_files_that_another_process_has_replaced_are_left(landed: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = compaction.to_compact(DeltaTable(landed.messages))
    DeltaTable(landed.messages).optimize.compact()
    before, last = messages(landed), version(landed)
    monkeypatch.setattr(compaction, "to_compact", lambda _: groups)
    maintain()
    assert (messages(landed), version(landed)) == (before, last)


def test_without_a_server_it_names_the_unchanged_tables(landed: Home) -> None:
    assert "watershed with-server" not in maintain()
    write_deltalake(landed.warehouse / "watershed.db" / "events", pa.table({"id": [1]}))
    for told in (maintain("--dry-run"), maintain()):
        assert row_of(told, "watershed.events")[1] == "1"
        assert "Remove them with: watershed with-server watershed maintain" in told


def test_tables_of_iceberg_are_looked_at_by_a_server_only(home: Home) -> None:
    (home.warehouse / "watershed.db" / "events" / "metadata").mkdir(parents=True)
    for told in (maintain("--dry-run"), maintain()):
        assert "Remove them with: watershed with-server watershed maintain" in told


def test_nothing_has_landed(home: Home) -> None:
    assert maintain() == maintain("--dry-run") == f"There is no table yet in {home.root}.\n"


@pytest.mark.parametrize("days", ["0", "8", "-1", "x"])
def test_days_that_are_not_safe_are_refused(home: Home, days: str) -> None:
    done = CliRunner().invoke(main, ["maintain", "--keep-days", days], prog_name="watershed")
    assert done.exit_code == 2
    assert "--keep-days" in done.stderr
