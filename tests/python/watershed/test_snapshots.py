"""`watershed snapshots`: the files that it writes for tables found, and that edited files are kept."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest
import yaml
from conftest import PROJECT_DIR
from hypothesis import given, settings
from hypothesis import strategies as st

from watershed.cli import main
from watershed.snapshots import generate as snapshots_module
from watershed.snapshots.files import Kinds, Model, checksum, jinja_text, models_of, render, safe_name
from watershed.snapshots.generate import GENERATED, State, is_edited, write, write_files
from watershed.snapshots.seen import Column, Refused, Table, tables_of

KINDS = Kinds(PROJECT_DIR)

# Mostly characters that look like an escape or a separator.
NAMES = st.text(st.sampled_from("_x5fabZ0 é商🎉'`{}") | st.characters(exclude_categories=["Cs"]), max_size=12)


def environment() -> jinja2.Environment:
    made = jinja2.Environment(extensions=["jinja2.ext.do"])
    made.globals["return"] = lambda value: value
    return made


class CompilerError(Exception):
    """What dbt raises for `exceptions.raise_compiler_error`."""


def raise_compiler_error(text: str) -> None:
    raise CompilerError(text)


def column_text(column: dict[str, object]) -> str:
    made = environment()
    made.globals |= {"sql_text": lambda text: f"<{text}>"}
    macro = (PROJECT_DIR / "macros" / "snapshot" / "column_text.sql").read_text()
    rendered = made.from_string(macro).module.column_text(column)  # type: ignore[attr-defined]
    return " ".join(str(rendered).split())


def test_only_missing_avro_columns_have_older_names_and_defaults() -> None:
    plain: dict[str, object] = {"name": "a", "type": "int"}
    assert column_text(plain) == "columns[<a>]"
    own = "case when map_contains_key(columns, <a>) then columns[<a>] "
    older = "".join(f"when map_contains_key(columns, <{name}>) then columns[<{name}>] " for name in "bc")
    renamed = plain | {"aliases": ["b", "c"]}
    assert column_text(renamed | {"default": ""}) == f"{own}{older}when columns is not null then <> end"
    assert column_text(renamed) == f"{own}{older}end"


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("(10,2)", "10,2"),
        ("(65,10)", "38,10"),
        ("(3,5)", "5,5"),
        ("(20,-5)", "25,0"),
        ("(36,-5)", "38,0"),
        ("", "38,0"),
    ],
)
def test_a_decimal_of_connect_has_a_type_that_spark_has(digits: str, expected: str) -> None:
    made = environment()
    made.globals |= {"decimal_from_bytes": lambda *_: "n", "exact_decimal": lambda _, kind: f"<{kind}>"}
    macro = (PROJECT_DIR / "macros" / "snapshot" / "logical_value.sql").read_text()
    rendered = made.from_string(macro).module.logical_value("t", f"decimal_base64{digits}")  # type: ignore[attr-defined]
    assert f"<decimal({expected})>" in rendered


def typed_snapshot(columns: list[dict[str, object]], family: str | None) -> str:
    names = ("value_kind", "typed_rows", "sql_text", "ref", "config")
    made = environment()
    made.globals |= dict.fromkeys(names, lambda *_, **__: "x")
    made.globals["exceptions"] = SimpleNamespace(raise_compiler_error=raise_compiler_error)
    made.globals |= {"source_time_zone": lambda *_: "x", "build_step": lambda *_, **__: "-- build step"}
    made.globals["snapshot_step"] = lambda *_: {"action": "rebuild", "changed_at": 0}
    macro = (PROJECT_DIR / "macros" / "snapshot" / "typed_snapshot.sql").read_text()
    return str(made.from_string(macro).module.typed_snapshot("s", "t", columns, family=family))  # type: ignore[attr-defined]


def test_only_avro_has_defaults_and_older_names() -> None:
    for one in ({"default": "1"}, {"aliases": ["b"]}):
        columns: list[dict[str, object]] = [{"name": "a", "type": "int"} | one]
        assert typed_snapshot(columns, "avro")
        with pytest.raises(CompilerError, match="'avro'"):
            typed_snapshot(columns, "oms")


def joined(names: list[str]) -> str:
    return "__".join(map(safe_name, names))


def vendor_names(model_name: str) -> list[str]:
    """Decode the vendor's names: escapes first, then separators, as defined in docs/formats/values.md."""
    names = [""]
    for escape, separator, plain in re.findall(r"_x((?:[0-9a-f]{2})*)_|(__)|(.)", model_name, re.DOTALL):
        if separator:
            names.append("")
        else:
            names[-1] += plain or bytes.fromhex(escape).decode()
    return names


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_safe_names_can_be_read_back(names: list[str]) -> None:
    name = joined(names)
    assert re.fullmatch("[A-Za-z0-9_]+", name)
    assert vendor_names(name) == names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("order_items", "order_items"),
        ("Order items", "Order_x20_items"),
        ("a__b", "a_x5f5f_b"),
        ("a_x20_", "a_x5f_x20_x5f_"),
    ],
)
def test_safe_names_keep_what_they_can(name: str, expected: str) -> None:
    assert joined([name]) == expected


@given(NAMES | st.text(st.sampled_from("\\'\"{}%#\n\rnx")))
def test_vendor_texts_stay_texts_in_generated_files(text: str) -> None:
    literal = jinja_text(text)
    assert jinja2.Environment().from_string("{{ " + literal + " }}", {"value": text}).render() == text
    assert not re.search("[{}#%\n]", literal)


def written(body: str) -> str:
    return f"-- checksum {checksum(body)}\n{body}"


def model(body: str, name: str = "snapshot_s__t", remarks: list[str] | None = None) -> Model:
    return Model(name, {f"{name}.sql": written(body), f"{name}.yml": written("description " + body)}, remarks or [])


def test_files_are_rewritten_until_a_user_edits_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql, yml = (tmp_path / GENERATED / f"snapshot_s__t.{ending}" for ending in ("sql", "yml"))
    assert write(tmp_path, [model("one")]) == 0
    assert sql.read_text() == written("one")
    assert write(tmp_path, [model("one")]) == 0
    assert write(tmp_path, [model("two", remarks=["of a column"])]) == 0
    assert sql.read_text() == written("two")
    assert yml.read_text() == written("description two")

    yml.write_text(yml.read_text() + "# mine\n")
    other = model("other", "snapshot_s__other")
    assert write(tmp_path, [model("three"), other]) == 0
    assert sql.read_text() == written("two")
    assert yml.read_text().endswith("# mine\n")
    assert (tmp_path / GENERATED / "snapshot_s__other.sql").exists()
    one, none = (f"{count} written into {GENERATED}." for count in ("1 model", "0 models"))
    following = f"Next: .venv/bin/dbt build --select path:{GENERATED} snapshot_list snapshot_lag"
    assert capsys.readouterr().out.splitlines() == [
        "snapshot_s__t: written",
        one,
        following,
        "snapshot_s__t: unchanged",
        none,
        "snapshot_s__t: written",
        "  of a column",
        one,
        following,
        "snapshot_s__t: kept, edited by hand",
        "snapshot_s__other: written",
        one,
        following,
    ]
    assert {path.suffix for path in (tmp_path / GENERATED).iterdir()} == {".sql", ".yml"}


def test_a_dry_run_shows_the_difference_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert write(tmp_path, [model("one\n")], is_dry_run=True) == 0
    assert not (tmp_path / GENERATED).exists()
    shown = capsys.readouterr().out.splitlines()
    assert shown[:3] == ["--- /dev/null", "+++ snapshot_s__t.sql", "@@ -0,0 +1,2 @@"]
    assert "+one" in shown
    assert shown[-2:] == [
        "snapshot_s__t: would be written",
        f"Dry run, nothing was written; without --dry-run 1 model would be, into {GENERATED}.",
    ]
    write(tmp_path, [model("one\n")])
    capsys.readouterr()
    assert write(tmp_path, [model("one\n")], is_dry_run=True) == 0
    assert "snapshot_s__t: unchanged" in capsys.readouterr().out
    write(tmp_path, [model("two\n")], is_dry_run=True)
    shown = capsys.readouterr().out.splitlines()
    assert {"-one", "+two", "-description one", "+description two"} <= set(shown)
    assert (tmp_path / GENERATED / "snapshot_s__t.sql").read_text() == written("one\n")


def seen(format_name: str, *columns: Column, message_id: str | None = None) -> Table:
    return Table("s", format_name, None, None, "t", columns, message_id)


def settings_of(table: Table) -> list[dict[str, object]]:
    """The columns that a generated model passes to typed_snapshot, read as dbt reads them."""
    made_files = render(table, "snapshot_s__t", KINDS).files
    assert not any(is_edited(text) for text in made_files.values())
    found: list[dict[str, object]] = []
    made = environment()
    made.globals["typed_snapshot"] = lambda *_, columns, **__: found.extend(columns)
    made.from_string(made_files["snapshot_s__t.sql"]).render()
    return found


def test_values_without_an_exact_kind_keep_their_text() -> None:
    columns = [Column("a", "DOUBLE"), Column("b", "LONG"), Column("c", "POINT")]
    assert settings_of(seen("datahub_blob", *columns)) == [
        {"name": "a", "type": "DOUBLE", "keep_text": True},
        {"name": "b", "type": "LONG"},
        {"name": "c", "type": "string"},
    ]
    types = ["decimal(65,30)", "decimal(12,2)", "decimal", "enum('a')", "DOUBLE"]
    assert [settings_of(seen("oms_canal", Column("id", "bigint(20)"), Column("x", type_)))[1] for type_ in types] == [
        {"name": "x", "type": "decimal(38,30)", "keep_text": True},
        {"name": "x", "type": "decimal(12,2)"},
        {"name": "x", "type": "decimal(38,18)", "keep_text": True},
        {"name": "x", "type": "enum"},
        {"name": "x", "type": "DOUBLE"},
    ]


def test_a_decimal_has_a_type_that_spark_has() -> None:
    expected = {"NUMERIC(3,5)": "decimal(5,5)", "NUMERIC(10,-2)": "decimal(12,0)", "NUMERIC(10,2)": "NUMERIC(10,2)"}
    found = settings_of(seen("oms_dataworks_v2", *(Column(type_, type_) for type_ in expected)))
    assert {one["name"]: one["type"] for one in found} == expected


def test_a_column_is_renamed_only_if_its_name_is_taken() -> None:
    columns = [Column(name, "DOUBLE" if name == "a" else "STRING") for name in ("body_text", "body", "a_text", "a")]
    shown = [one.get("alias") for one in settings_of(seen("datahub_blob", *columns))]
    assert shown == [None, None, None, "a_2"]


@pytest.mark.parametrize(
    ("format_name", "types", "family"),
    [
        ("datahub_tuple", [None, None], None),
        ("datahub_blob", ["LONG", None], "datahub"),
        ("oms_canal", [None, None], None),
        ("oms_shareplex", ["int"], "oms"),
        ("databus_json", ["long"], "avro"),
        ("lindorm_sql", ["int64"], "connect"),
    ],
)
def test_the_value_table_is_that_of_the_format(format_name: str, types: list[str | None], family: str | None) -> None:
    assert KINDS.family_of(seen(format_name, *(Column(f"c{n}", type_) for n, type_ in enumerate(types)))) == family


@pytest.mark.parametrize(
    ("producer", "message_id", "types", "family"),
    [
        ("native Canal", "7", "bigint(20) VARCHAR(32)", "canal"),
        ("native Canal, types as written in DDL", "7", "INT BIT CHAR DECIMAL varchar(9)", "canal"),
        ("native Canal, no column with a length", "7", "bigint blob timestamp text", "canal"),
        ("TiCDC", "0", "bigint varchar blob bit enum set timestamp", "canal"),
        ("TiCDC with content-compatible", "0", "bigint varchar(9) blob enum('a')", "canal"),
        ("Huawei DRS", "27677", "int varchar varbinary blob timestamp", "oms"),
        ("OMS", None, "int64 VARCHAR", "oms"),
        ("OMS, no type of its own", None, "bigint blob timestamp text", "oms"),
        ("unknown", None, "bigint(20) varchar(9) blob", "canal"),
    ],
)
def test_the_value_table_of_canal_messages_is_that_of_their_producer(
    producer: str, message_id: str | None, types: str, family: str
) -> None:
    columns = [Column(type_, type_) for type_ in types.split()]
    table = seen("oms_canal", *columns, message_id=message_id)
    assert KINDS.family_of(table) == family, producer
    assert f"family='{family}'" in render(table, "snapshot_s__t", KINDS).files["snapshot_s__t.sql"]


def test_columns_are_in_the_order_of_the_source_else_with_the_key_in_front() -> None:
    place = ("s", "f", None, None, "t", "7")
    known = [("b", "int", 1), ("a", "int", 2), ("gone", "int", None)]
    rows = [(*place, name, type_, position, name == "a", None, None, None) for name, type_, position in known]
    rows += [("s", "f", "d", None, "t", None, name, None, None, name == "z", "[]", None, None) for name in "xyz"]
    tables = tables_of(reversed(rows))
    assert [[column.name for column in table.columns] for table in tables] == [["b", "a", "gone"], ["z", "x", "y"]]
    assert [(table.database_name, table.message_id) for table in tables] == [(None, "7"), ("d", None)]


def test_database_and_schema_are_in_the_name_where_a_source_has_a_table_twice() -> None:
    tables = [
        Table("s", "f", "d1", None, "t", [Column("a")]),
        Table("s", "f", "d2", "sch", "t", [Column("a")]),
        Table("other", "f", "d2", None, "t", [Column("a")]),
    ]
    names = [model.name for model in models_of(tables, KINDS, None, None)]
    assert names == ["snapshot_s__d1__" + "_x_" + "__t", "snapshot_s__d2__sch__t", "snapshot_other__t"]
    assert [model.name for model in models_of(tables, KINDS, "s", "t")] == names[:2]
    assert models_of(tables, KINDS, "s", "other") == []


def test_a_generated_description_is_yaml_and_names_the_types() -> None:
    odd = Column("it's {{ odd }}", "DOUBLE", is_key=True, refused=[Refused("narrowed", "STRING")], aliases=["x"])
    made = render(seen("datahub_blob", odd, Column("row_key", "LONG")), "snapshot_s__t", KINDS)
    assert made.remarks == ["column \"it's {{ odd }}\" keeps 'DOUBLE': 'STRING' is narrowed"]
    (described,) = yaml.safe_load(made.files["snapshot_s__t.yml"])["models"]
    shown = {column["name"]: column["description"] for column in described["columns"]}
    alias = "it_x27_s_x207b7b20_odd_x207d7d_"
    assert list(shown)[:3] == [alias, f"{alias}_text", "row_key_2"]
    assert shown[alias] == "Part of the key. Column it's (( odd )) of the source, of type DOUBLE."
    test = described["data_tests"][1]["has_no_cast_failures"]
    assert test["config"] == {"severity": "warn"}
    (excepted,) = test["arguments"]["except_columns"]
    assert jinja2.Template(excepted).render() == odd.name
    assert test["arguments"]["kept_texts"] == {odd.name: f"{alias}_text"}
    no_types = render(seen("datahub_tuple", Column("a")), "snapshot_s__t", KINDS)
    assert "every column is a string" in no_types.remarks[0]


@settings(deadline=None)
@given(NAMES | st.text(st.sampled_from("\\'\"{}%#\n\r\x85\u2028:-[]nx ")) | st.sampled_from(["no", "null", "1", "~"]))
def test_names_are_texts_in_generated_yaml_whatever_they_hold(name: str) -> None:
    made = render(seen("datahub_blob", Column(name, "DOUBLE")), "snapshot_s__t", KINDS)
    (described,) = yaml.safe_load(made.files["snapshot_s__t.yml"])["models"]
    arguments = described["data_tests"][1]["has_no_cast_failures"]["arguments"]
    (excepted,) = arguments["except_columns"]
    assert jinja2.Template(excepted, keep_trailing_newline=True).render() == name
    assert list(arguments["kept_texts"]) == [name]


def test_only_names_that_need_it_are_quoted() -> None:
    made = render(seen("datahub_blob", Column("score", "DOUBLE"), Column("id", "LONG")), "snapshot_s__t", KINDS)
    described = made.files["snapshot_s__t.yml"]
    assert "except_columns:\n        - score\n        kept_texts:\n          score: score_text\n" in described


@pytest.mark.parametrize(
    "text", ["", "select 1\n", written("a") + "b", "-- checksum 00\na", written("a").replace("a", "A")]
)
def test_a_file_without_its_checksum_counts_as_edited(tmp_path: Path, text: str) -> None:
    assert is_edited(text)
    assert not is_edited(written(""))
    (tmp_path / "m.sql").write_text(text)
    assert write_files(tmp_path, {"m.sql": written("new")}) is State.EDITED
    assert (tmp_path / "m.sql").read_text() == text


def test_a_line_end_changed_by_git_is_no_edit(tmp_path: Path) -> None:
    (tmp_path / "m.sql").write_bytes(written("a\nb\n").replace("\n", "\r\n").encode())
    assert write_files(tmp_path, {"m.sql": written("new")}) is State.WRITTEN


def test_other_models_of_the_name_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_written = tmp_path / "models" / "typed_snapshots" / "snapshot_s__t.sql"
    hand_written.parent.mkdir(parents=True)
    hand_written.write_text("mine")
    twins = [model("a", "snapshot_s__u"), model("b", "snapshot_s__U")]
    assert write(tmp_path, [model("one"), *twins, model("c", "snapshot_" + "n" * 200)]) == 2
    assert not (tmp_path / GENERATED).exists()
    output = capsys.readouterr().out
    assert output.count("not written") == 4
    assert "the project has models/typed_snapshots/snapshot_s__t.sql" in output


@pytest.mark.parametrize(("options", "written"), [([], ["shop"]), (["--source", "oms_default"], ["oms_default"])])
def test_sources_that_are_not_configured_are_left_out(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    written: list[str],
) -> None:
    """What an earlier version has built of the samples is in the tables of the user's project for ever."""
    tables = [Table(name, "datahub_blob", None, None, "t", [Column("id")]) for name in ("oms_default", "shop")]
    monkeypatch.setattr(snapshots_module, "connect_to", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(snapshots_module, "read_tables", lambda *_: tables)
    monkeypatch.setattr(snapshots_module, "Kinds", lambda _: KINDS)
    with pytest.raises(SystemExit) as ended:
        main(["snapshots", *options])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert ("Left out, not in seeds/cdc_sources.csv: oms_default (" in said) is not bool(options)
    assert [path.stem for path in (project / GENERATED).glob("*.sql")] == [f"snapshot_{name}__t" for name in written]


def test_a_missing_server_is_reported(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    with pytest.raises(SystemExit) as ended:
        main(["snapshots"])
    assert ended.value.code == 2
    assert "No Watershed server answers at 127.0.0.1:1" in capsys.readouterr().err
