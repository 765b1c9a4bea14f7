"""`watershed schemas`: stored schemas, their ids, and rejected files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from watershed.cli import main
from watershed.home import Home
from watershed.landing.tables import read_rows

# The vendor's own schema and the results of Apache Avro and MD5 for it: tests/python/udfs/databus_vectors.
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
        ("relay", "", "bad.avsc is not an Avro record schema"),
        ("relay", "{", "bad.avsc is not an Avro record schema"),
        ("relay", '"string"', "the file contains no record schema"),
        ("relay", '{"type":"enum","name":"E","symbols":["A"]}', "the file contains no record schema"),
        ("relay", f"[{CANONICAL}]", "the file contains no record schema"),
        ("relay", '{"type":"record","fields":[]}', "a type has no name"),
        (
            "relay",
            '{"type":"record","name":"R","fields":[{"name":"a","type":"Nobody"}]}',
            "it names a type",
        ),
        ("relay", b"\xff", "bad.avsc is not an Avro record schema"),
    ],
)
def test_invalid_schemas_are_refused_and_nothing_is_stored(
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


HALF_PAIR = '{"type":"record","name":"R","fields":[{"name":"\\ud800","type":"int","aliases":["\\udfff"]}]}'


@pytest.mark.parametrize(
    "content",
    [
        *(
            '{"type":"record","name":"R","fields":' + fields + "}"
            for fields in ("5", "true", "null", '"a"', "{}", "[5]")
        ),
        *(
            '{"type":"record","name":"R","fields":[],"aliases":' + aliases + "}"
            for aliases in ("5", "[5]", "[{}]", '"a"')
        ),
        *(
            '{"type":"record","name":"R","fields":[{"name":"a","type":"int","aliases":' + aliases + "}]}"
            for aliases in ("5", "[5]", '["\\ud800"]')
        ),
        HALF_PAIR,
        '{"type":"record","name":"\\ud800","fields":[]}',
        '{"type":"record","name":"R","namespace":"\\ud800","fields":[]}',
        '{"type":"record","name":"R","fields":[],"meta":"pk=\\ud800"}',
    ],
)
def test_unusable_schema_is_refused(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (project / "bad.avsc").write_text(content)
    assert schemas("--source", "relay", "bad.avsc") == 2
    error = capsys.readouterr().err
    assert error.startswith("watershed schemas: bad.avsc is not an Avro record schema: ")
    assert "Traceback" not in error
    assert not home.avro_schemas.exists()


def test_schemas_are_listed_and_removed_under_both_ids(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert schemas("--list") == 0
    assert capsys.readouterr().out == "No schema is stored.\n"
    (project / "canonical.avsc").write_text(CANONICAL)
    schemas("--source", "relay", PERSON, "canonical.avsc")
    schemas("--source", "other_relay", PERSON)
    capsys.readouterr()
    assert schemas("--list", "--source", "other_relay") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all("person.avsc" in line and "Person_V1" in line for line in lines[2:])
    assert schemas("--source", "relay", "--remove", min(PERSON_IDS)) == 0
    output = capsys.readouterr().out
    assert all(f"person.avsc: removed {schema_id}" in output for schema_id in PERSON_IDS)
    assert [(row["source_name"], row["file_name"]) for row in stored(home)] == [
        *[("other_relay", "person.avsc")] * 2,
        ("relay", "canonical.avsc"),
    ]
    assert schemas("--source", "relay", PERSON) == 0
    assert len(stored(home)) == 5


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--source", "relay", "--remove", "0" * 32], "Source 'relay' has no schema '0000"),
        (["--source", "relay", "--remove", "' or true or '"], "Source 'relay' has no schema"),
        (["--remove", "0" * 32], "--source is missing"),
        (["--source", "relay"], "No file is given"),
        (["--list", "person.avsc"], "--list and --remove take no files"),
    ],
)
def test_schemas_that_cannot_be_listed_or_removed_are_reported(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    schemas("--source", "relay", PERSON)
    capsys.readouterr()
    assert schemas(*arguments) == 2
    assert expected in capsys.readouterr().err
    assert len(stored(home)) == 2
