"""`watershed schemas`: what is stored, under which ids, and what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from watershed.cli import main
from watershed.home import Home
from watershed.landing import read_rows

# The vendor's own schema and what Apache Avro and MD5 give for it: tests/python/udfs/databus_vectors.
PERSON = Path(__file__).parents[1] / "udfs" / "databus_vectors" / "person.avsc"
PERSON_IDS = {"9576e893d031e0ac92b29735177f19d6", "84a012fc23706f6d259339c4afc288d2"}
# Written as Java writes it, so that both ids are one.
CANONICAL = '{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}'
COLUMNS = ["source_name", "schema_id", "schema_text", "record_name", "key_columns", "file_name"]


@pytest.fixture(autouse=True)
def sources(project: Path) -> None:
    with (project / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("relay,databus_binary,\nother_relay,databus_json,\n")


def schemas(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["schemas", *map(str, arguments)])
    return int(str(ended.value.code))


def stored(home: Home) -> list[dict[str, Any]]:
    return sorted(read_rows(home.avro_schemas, COLUMNS), key=lambda row: (row["source_name"], row["schema_id"]))


def test_a_schema_is_stored_under_both_ids(project: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert schemas("--source", "relay", PERSON) == 0
    rows = stored(home)
    assert {row["schema_id"] for row in rows} == PERSON_IDS
    assert hashlib.md5(PERSON.read_bytes()).hexdigest() in PERSON_IDS
    for row in rows:
        assert row | {"schema_id": None} == {
            "source_name": "relay",
            "schema_id": None,
            "schema_text": PERSON.read_text(),
            "record_name": "com.linkedin.events.example.person.Person_V1",
            "key_columns": ["key"],
            "file_name": "person.avsc",
        }
    output = capsys.readouterr().out
    assert output.startswith("person.avsc: stored under ")
    assert all(schema_id in output for schema_id in PERSON_IDS)


def test_storing_twice_is_harmless(project: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert schemas("--source", "relay", PERSON, PERSON) == 0
    before = stored(home)
    assert len(before) == 2
    capsys.readouterr()
    assert schemas("--source", "relay", PERSON) == 0
    assert "person.avsc: known already under " in capsys.readouterr().out
    assert stored(home) == before


def test_each_source_has_its_own(project: Path, home: Home) -> None:
    (project / "canonical.avsc").write_text(CANONICAL)
    assert schemas("--source", "relay", PERSON) == 0
    assert schemas("--source", "other_relay", PERSON, "canonical.avsc") == 0
    rows = stored(home)
    assert [row["source_name"] for row in rows] == ["other_relay"] * 3 + ["relay"] * 2
    (canonical,) = [row for row in rows if row["file_name"] == "canonical.avsc"]
    assert (canonical["record_name"], canonical["key_columns"]) == ("R", None)


@pytest.mark.parametrize(
    ("source", "content", "expected"),
    [
        ("shop", CANONICAL, "'shop' has the format datahub_blob; only Databus values need Avro schemas"),
        ("nobody", CANONICAL, "'nobody' is not in"),
        ("relay", None, "bad.avsc cannot be read"),
        ("relay", "", "bad.avsc is no Avro record schema"),
        ("relay", "{", "bad.avsc is no Avro record schema"),
        ("relay", '"string"', "the file holds no record schema"),
        ("relay", '{"type":"enum","name":"E","symbols":["A"]}', "the file holds no record schema"),
        ("relay", f"[{CANONICAL}]", "the file holds no record schema"),
        ("relay", '{"type":"record","fields":[]}', "a type has no name"),
        (
            "relay",
            '{"type":"record","name":"R","fields":[{"name":"a","type":"Nobody"}]}',
            "it names a type",
        ),
        ("relay", b"\xff", "bad.avsc is no Avro record schema"),
    ],
)
def test_what_is_no_schema_is_refused_and_nothing_is_stored(
    project: Path,
    home: Home,
    capsys: pytest.CaptureFixture[str],
    source: str,
    content: str | bytes | None,
    expected: str,
) -> None:
    assert schemas("--source", "other_relay", PERSON) == 0
    before = stored(home)
    capsys.readouterr()
    if content is not None:
        (project / "bad.avsc").write_bytes(content.encode() if isinstance(content, str) else content)
    # A good file before the bad one is not stored either.
    assert schemas("--source", source, PERSON, "bad.avsc") == 2
    captured = capsys.readouterr()
    assert expected in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert stored(home) == before
