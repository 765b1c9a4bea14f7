"""`typed_columns.csv`: the types of columns that the user gives."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from conftest import PROJECT_DIR
from test_snapshots import KINDS, environment, seen, settings_of

from watershed.snapshots.files import render
from watershed.snapshots.generate import GENERATED, snapshots
from watershed.snapshots.seen import Column, Table
from watershed.snapshots.typed_columns import read_typed_columns, with_given_types


def typed(project: Path, *lines: str) -> Path:
    file = project / "seeds" / "typed_columns.csv"
    file.write_text("\n".join(["source_name,table_name,column_name,type", *lines, ""]))
    return file


def given_types(project: Path, tables: list[Table]) -> Table:
    """The one table with the types of the file, which has no wrong line."""
    rows, problems = read_typed_columns(project)
    (table,), type_problems = with_given_types(tables, rows, KINDS)
    assert problems + type_problems == []
    return table


def test_types_by_configuration_give_the_model_that_the_samples_have_by_hand(project: Path) -> None:
    by_hand: list[dict[str, str]] = []
    made = environment()
    made.globals["typed_snapshot"] = lambda *_, columns: by_hand.extend(columns)
    model_file = PROJECT_DIR / "samples" / "models" / "typed_snapshots" / "snapshot_datahub_tuple__orders.sql"
    made.from_string(model_file.read_text()).render()
    rows = [f's,t,{column["name"]},"{column["type"]}"' for column in by_hand]
    typed(project, "s,other,order_id,string", *rows)
    named = sorted(column["name"] for column in by_hand)
    tables = [seen("datahub_tuple", *(Column(name, is_key=name == "order_id") for name in [*named, "later"]))]
    table = given_types(project, tables)
    assert settings_of(table) == [*by_hand, {"name": "later", "type": "string"}]
    assert render(table, "snapshot_s__t", KINDS).remarks == []


def test_a_configured_type_takes_precedence_over_that_of_messages(project: Path) -> None:
    typed(project, 's,t,b,"decimal(20,2)"', "s,t,gone,bigint", "s,t,a,timestamp")
    tables = [seen("oms_canal", *(Column(name, "varchar(9)") for name in "abc"))]
    table = given_types(project, tables)
    assert [(column["name"], column["type"]) for column in settings_of(table)] == [
        ("b", "decimal(20,2)"),
        ("gone", "bigint"),
        ("a", "timestamp"),
        ("c", "varchar(9)"),
    ]
    made = render(table, "snapshot_s__t", KINDS)
    assert made.remarks == ["column 'gone' of seeds/typed_columns.csv is not in any message (seen: b, a, c)"]
    assert "Column b of the source, of type varchar(9), read as decimal(20,2)." in made.files["snapshot_s__t.yml"]


def test_given_labels_are_kept_because_ticdc_sends_none(project: Path) -> None:
    typed(project, """s,t,mood,"enum('calm','it''s, well')\"""")
    tables = [seen("oms_canal", Column("mood", "enum"), Column("tags", "set"), message_id="0")]
    assert settings_of(given_types(project, tables)) == [
        {"name": "mood", "type": "enum('calm','it''s, well')"},
        {"name": "tags", "type": "set"},
    ]


def documented_kinds() -> list[str]:
    """The kinds that docs/formats/values.md lists, each with its digits."""
    page = (PROJECT_DIR / "docs" / "formats" / "values.md").read_text()
    table = page.partition("\n## Kinds\n")[2].partition("\n\n- ")[0]
    return [
        kind.replace("(p,s)", "(18,2)")
        for line in table.splitlines()
        if line.startswith("| `")
        for kind in re.findall("`([^`]*)`", line.split("|")[1])
    ]


def test_every_documented_kind_can_be_given_to_a_column(project: Path) -> None:
    kinds = documented_kinds()
    assert {kind.partition("(")[0] for kind in kinds} == set(KINDS.names)
    typed(project, *(f's,t,c{number},"{kind}"' for number, kind in enumerate(kinds)))
    table = given_types(project, [seen("datahub_tuple", *(Column(f"c{number}") for number in range(len(kinds))))])
    assert [column["type"] for column in settings_of(table)] == kinds


WRONG_TYPES = ["datetime", "decimal(20)", '"decimal(65,30)"', '"decimal(3,4)"', "decimal", "int(11)", "INTEGER"]


@pytest.mark.parametrize("wrong", WRONG_TYPES)
def test_a_type_that_is_none_is_a_problem_of_its_line(project: Path, wrong: str) -> None:
    file = typed(project, "s,t,a,bigint", f"s,t,b,{wrong}")
    tables = [seen("datahub_tuple", Column("a"), Column("b"))]
    rows, _ = read_typed_columns(project)
    _, (problem,) = with_given_types(tables, rows, KINDS)
    assert str(problem).startswith(f"{file}:3: column 'b' has unknown type {wrong.strip(chr(34))!r}.")
    assert "timestamp_micros" in str(problem)


def test_wrong_lines_are_problems_of_their_sources(project: Path) -> None:
    file = typed(project, "s,t,a,bigint", "s,t,a,string", "s,t,,string", ",t,a,string", "other,t,b", "good,t,b,string")
    rows, problems = read_typed_columns(project)
    assert [row.place for row in rows] == [f"{file}:2", f"{file}:7"]
    assert [(problem.place, problem.source_name, problem.problem) for problem in problems] == [
        (f"{file}:6", "other", "expected 4 cells (source_name,table_name,column_name,type), found 3."),
        (f"{file}:3", "s", f"column 'a' occurs twice, first in {file}:2."),
        (f"{file}:4", "s", "column_name is empty."),
        (f"{file}:5", "", "source_name is empty."),
    ]
    file.unlink()
    assert read_typed_columns(project) == ([], [])


def test_a_wrong_line_keeps_only_its_source_from_being_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = typed(project, "bank,t,a,binary_base64", "shop,t,a,bigint", "shop,t,b,no_kind", "other,t,a,no_kind")
    tables = [
        Table(source, "datahub_tuple", None, None, name, [Column("a"), Column("b")])
        for source in ("bank", "shop")
        for name in "tu"
    ]
    monkeypatch.setattr("watershed.snapshots.generate.connect_to", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr("watershed.snapshots.generate.read_tables", lambda *_: tables)
    monkeypatch.setattr("watershed.snapshots.generate.Kinds", lambda _: KINDS)
    assert snapshots(None, None, is_dry_run=False) == 2
    assert {path.stem for path in (project / GENERATED).iterdir()} == {"snapshot_bank__t", "snapshot_bank__u"}
    assert "'type': 'binary_base64'" in (project / GENERATED / "snapshot_bank__t.sql").read_text()
    told = capsys.readouterr()
    assert "snapshot_bank__t: written\n" in told.out
    (_, *lines) = told.err.partition(f"watershed snapshots: {file}:4: column 'b' has unknown type 'no_kind'.\n")
    assert lines[0], told.err
    assert "No model of source 'shop' was written" in lines[1]

    assert snapshots("bank", None, is_dry_run=False) == 0
    assert capsys.readouterr().err == ""
    assert snapshots("shop", "u", is_dry_run=False) == 2


def test_the_file_of_types_is_there_with_its_first_line() -> None:
    assert read_typed_columns(PROJECT_DIR) == ([], [])
