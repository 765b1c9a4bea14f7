"""`watershed snapshots`: names that can be read back, and files that are only overwritten while nobody edited them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest
from conftest import PROJECT_DIR
from hypothesis import given
from hypothesis import strategies as st

from watershed.cli import main
from watershed.snapshots import GENERATED, Model, Report, State, is_edited, write, write_files

# Mostly what could be taken for an escape or a separator.
NAMES = st.text(st.sampled_from("_x5fabZ0 é商🎉'`{}") | st.characters(exclude_categories=["Cs"]), max_size=12)


def macro(name: str) -> str:
    return (PROJECT_DIR / "macros" / "snapshot" / f"{name}.sql").read_text()


def environment() -> jinja2.Environment:
    made = jinja2.Environment(extensions=["jinja2.ext.do"])
    made.globals |= {"return": lambda value: value, "modules": SimpleNamespace(re=re)}
    return made


SAFE_NAME = environment().from_string(macro("safe_name")).module.safe_name  # type: ignore[attr-defined]
JINJA_TEXT = environment().from_string(macro("jinja_text")).module.jinja_text  # type: ignore[attr-defined]


class CompilerError(Exception):
    """What dbt raises for `exceptions.raise_compiler_error`."""


def raise_compiler_error(text: str) -> None:
    raise CompilerError(text)


def resolved_columns(columns: list[dict[str, object]], family: str | None) -> str:
    made = environment()
    made.globals |= {
        "sql_text": lambda text: f"<{text}>",
        "exceptions": SimpleNamespace(raise_compiler_error=raise_compiler_error),
    }
    rendered = made.from_string(macro("resolved_columns")).module.resolved_columns(  # type: ignore[attr-defined]
        "texts", columns, family
    )
    return " ".join(str(rendered).split())


def test_only_missing_avro_columns_are_resolved() -> None:
    plain: dict[str, object] = {"name": "a", "type": "int"}
    assert resolved_columns([plain], None) == "texts"
    renamed = plain | {"aliases": ["b", "c"], "default": ""}
    assert resolved_columns([plain, renamed], "avro") == (
        "transform( array(texts), written -> map_concat( written, map_filter(map(<a>, cast(case "
        "when map_contains_key(written, <b>) then written[<b>] when map_contains_key(written, <c>) then written[<c>] "
        "when true then <> end as string)), (name, text) -> not map_contains_key(written, name)) ) )[0]"
    )
    assert "when true then null end" in resolved_columns([plain | {"aliases": ["b"]}], "avro")
    for one in ({"default": "1"}, {"aliases": ["b"]}):
        with pytest.raises(CompilerError, match="'avro'"):
            resolved_columns([plain | one], "oms")


def joined(names: list[str]) -> str:
    return "__".join(str(SAFE_NAME(name)).strip() for name in names)


def vendor_names(model_name: str) -> list[str]:
    """Read the vendor's names back: escapes first, then separators, as docs/formats/values.md says."""
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
    literal = str(JINJA_TEXT(text)).strip()
    assert jinja2.Environment().from_string("{{ " + literal + " }}", {"value": text}).render() == text
    assert not re.search("[{}#%\n]", literal)


def written(body: str) -> str:
    return f"-- checksum {hashlib.md5(body.encode()).hexdigest()}\n{body}"


def model(body: str, name: str = "snapshot_s__t", reports: list[Report] | None = None) -> Model:
    return Model(name, {f"{name}.sql": written(body), f"{name}.yml": written("description " + body)}, reports or [])


def test_files_are_written_anew_until_somebody_edits_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql, yml = (tmp_path / GENERATED / f"snapshot_s__t.{ending}" for ending in ("sql", "yml"))
    assert write(tmp_path, [model("one")]) == 0
    assert sql.read_text() == written("one")
    assert write(tmp_path, [model("one")]) == 0
    assert write(tmp_path, [model("two", reports=[Report("a'b", "int", "narrowed", "tinyint")])]) == 0
    assert sql.read_text() == written("two")
    assert yml.read_text() == written("description two")

    yml.write_text(yml.read_text() + "# mine\n")
    other = model("other", "snapshot_s__other")
    assert write(tmp_path, [model("three"), other]) == 2
    assert sql.read_text() == written("two")
    assert yml.read_text().endswith("# mine\n")
    assert (tmp_path / GENERATED / "snapshot_s__other.sql").exists()
    assert capsys.readouterr().out.splitlines() == [
        "snapshot_s__t: written",
        "snapshot_s__t: unchanged",
        "snapshot_s__t: written",
        "  column \"a'b\" keeps 'int': 'tinyint' is narrowed",
        "snapshot_s__t: kept, edited by hand",
        "snapshot_s__other: written",
    ]
    assert {path.suffix for path in (tmp_path / GENERATED).iterdir()} == {".sql", ".yml"}


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


def test_without_a_server_it_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    with pytest.raises(SystemExit) as ended:
        main(["snapshots"])
    assert ended.value.code == 2
    assert "No Watershed server answers at 127.0.0.1:1" in capsys.readouterr().err
