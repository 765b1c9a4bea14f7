"""Landing from two machines into one store: two homes, each with locks of its own, and one folder for the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError
from landed import ONE

from watershed.home import Home
from watershed.landing import compaction, schemas
from watershed.landing import tables as landing
from watershed.landing.messages import InputFile, Mode, scan_file
from watershed.landing.tables import Batch, ensure_landing_tables, land_files, landed_files


@pytest.fixture
def homes(tmp_path: Path) -> list[Home]:
    found = [Home(tmp_path / name, tmp_path / "store") for name in "ab"]
    for home in found:
        home.root.mkdir()
        ensure_landing_tables(home)
    return found


def land(home: Home, folder: Path, *names: str) -> Batch:
    files = []
    for name in names:
        file = folder / name
        file.write_text(ONE.replace('"offset":7', f'"offset":{len(name)}'))
        files.append(scan_file(InputFile(file, "shop", "datahub_blob", Mode.ENVELOPE), lambda _: None))
    return land_files(home, files)


def count(home: Home) -> int:
    return int(DeltaTable(home.messages).count())


def meanwhile(monkeypatch: pytest.MonkeyPatch, what: Any) -> None:  # noqa: ANN401
    """Run a function once, between the read of landed files and the commit."""
    commit, waiting = landing._commit_files, [what]

    def committed(*arguments: Any) -> None:  # noqa: ANN401
        if waiting:
            waiting.pop()()
        commit(*arguments)

    monkeypatch.setattr(landing, "_commit_files", committed)


def test_a_file_that_another_machine_lands_meanwhile_lands_once(
    homes: list[Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Batch] = []
    meanwhile(monkeypatch, lambda: others.append(land(homes[1], tmp_path, "same")))
    batch = land(homes[0], tmp_path, "same", "mine alone")
    assert [file.input.path.name for file in batch.landed] == ["mine alone"]
    assert [skip.batch_id for skip in batch.skipped] == [others[0].batch_id]
    assert count(homes[0]) == sum(row["message_count"] for row in landed_files(homes[1])) == 2
    on_disk = {file.name for file in homes[0].messages.rglob("*.parquet")}
    assert on_disk == {Path(uri).name for uri in DeltaTable(homes[0].messages).file_uris()}, "nothing is left behind"


def test_other_files_that_land_meanwhile_cost_no_second_writing(
    homes: list[Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: land(homes[1], tmp_path, "other"))
    assert len(land(homes[0], tmp_path, "mine").landed) == 1
    assert count(homes[0]) == 2
    assert len(list(homes[0].messages.rglob("*.parquet"))) == 2


def test_a_commit_whose_answer_was_lost_is_not_made_again(
    homes: list[Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, lost = DeltaTable.create_write_transaction, [True]

    def written(table: DeltaTable, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        write(table, *arguments, **options)
        if "messages" in table.table_uri and lost:
            lost.pop()
            raise CommitFailedError("there is such a version")

    monkeypatch.setattr(DeltaTable, "create_write_transaction", written)
    batch = land(homes[0], tmp_path, "one")
    assert len(batch.landed) == 1
    assert not lost
    assert count(homes[0]) == 1
    assert [row["batch_id"] for row in landed_files(homes[0])] == [batch.batch_id]


def test_files_compacted_by_another_machine_exist_once(
    homes: list[Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "four", "seven"):
        land(homes[0], tmp_path, name)
    read, others = compaction._row_groups, [homes[1]]

    def read_late(*arguments: Any) -> Any:  # noqa: ANN401
        yield from read(*arguments)
        if others:
            compact(others.pop())

    def compact(home: Home) -> None:
        compaction.compact(home, compaction.landed_tables(home)["landing.messages"], lambda _: None)

    monkeypatch.setattr(compaction, "FEWEST", 2)
    monkeypatch.setattr(compaction, "_row_groups", read_late)
    compact(homes[0])
    assert not others
    assert count(homes[0]) == 3
    [uri] = DeltaTable(homes[0].messages).file_uris()
    found = {file.name for file in homes[0].messages.rglob("*.parquet")}
    assert len(found) == 3 + 1, "what the second has written is not left behind"
    assert Path(uri).name in found


def test_a_schema_that_another_machine_stores_meanwhile_is_there_once(
    homes: list[Home], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = ("schema_text", "record_name", "file_name")
    row = {"source_name": "relay", "schema_id": "1", "key_columns": ["id"]} | dict.fromkeys(columns, "x")
    append, others = schemas.append, [homes[1]]

    def append_late(*arguments: Any, **options: Any) -> None:  # noqa: ANN401
        if others:
            assert schemas._store(others.pop(), [row]) == {"1"}
        append(*arguments, **options)

    monkeypatch.setattr(schemas, "append", append_late)
    assert schemas._store(homes[0], [row, row | {"schema_id": "2"}]) == {"2"}
    assert sorted(schemas._identities(homes[1])) == [("relay", "1"), ("relay", "2")]
    assert DeltaTable(homes[0].avro_schemas).count() == 2
