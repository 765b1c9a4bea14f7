"""Every kind of value, over thousands of hostile texts: the macros return what values.md defines."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import jinja2
import pyarrow as pa
import pytest
import typed_values
from conftest import PROJECT_DIR, Server
from pyarrow import parquet
from typed_texts import texts

pytestmark = pytest.mark.e2e
LABELS = ["new", "it's", "a(b)", "é,", "", "x"]
MANY_LABELS = [f"l{number}" for number in range(64)]
DECIMALS = {"decimal_base64": typed_values.decimal_base64, "decimal_struct": typed_values.decimal_struct_typed}
ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "+05:30"]


@pytest.fixture(autouse=True)
def long_numbers() -> Iterator[None]:
    """Have Python read long numbers; the limit is that of the process, and Avro's decimals depend on it."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(20_000)
    yield
    sys.set_int_max_str_digits(before)


class Case(NamedTuple):
    """A column of a typed snapshot over the texts, and its values as defined in values.md."""

    kind: str
    expected: Callable[[str], typed_values.Value]
    settings: dict[str, Any]


def quoted(name: str, labels: list[str]) -> str:
    return f"{name}({','.join(chr(39) + label.replace(chr(39), chr(39) * 2) + chr(39) for label in labels)})"


def cases() -> Iterator[Case]:
    for kind, expected in typed_values.STATEMENTS.items():
        yield Case(kind, expected, {})
    for precision, scale in [(3, 0), (5, 2), (10, 10), (20, 0), (38, 0), (38, 18), (38, 38)]:
        yield Case(
            f"decimal({precision},{scale})",
            lambda text, precision=precision, scale=scale: typed_values.decimal(text, precision, scale),
            {},
        )
        for name, expected in DECIMALS.items():
            yield Case(
                f"{name}({precision},{scale})",
                lambda text, expected=expected, precision=precision, scale=scale: expected(text, precision, scale),
                {},
            )
    for keep_text in (False, True):
        yield Case(
            "timestamp_nanos",
            lambda text, keep_text=keep_text: typed_values.timestamp_nanos(text, keep_text),
            {"keep_text": keep_text},
        )
        yield Case(
            "timestamp_seconds",
            lambda text, keep_text=keep_text: typed_values.timestamp_seconds(text, keep_text),
            {"keep_text": keep_text},
        )
        for zone, kind in itertools.product(ZONES, ("local_millis", "local_micros", "local_nanos")):
            yield Case(
                kind,
                partial(typed_values.local_count, kind=kind, time_zone=zone, is_cut=keep_text),
                {"keep_text": keep_text, "time_zone": zone},
            )
        for zone in ZONES:
            yield Case(
                "timestamp_text",
                lambda text, zone=zone, keep_text=keep_text: typed_values.timestamp_text(text, zone, keep_text),
                {"keep_text": keep_text, "time_zone": zone},
            )
    for labels in (LABELS, MANY_LABELS):
        for kind in ("enum_index", "set_mask"):
            yield Case(
                kind,
                lambda text, kind=kind, labels=labels: getattr(typed_values, kind)(text, labels),
                {"type": quoted(kind[:4].strip("_"), labels)},
            )
    # Labels that no message has: nothing but 0 can be read.
    yield Case("enum_index", lambda text: typed_values.enum_index(text, []), {})
    yield Case("set_mask", lambda text: typed_values.set_mask(text, []), {})


def macros() -> Any:  # noqa: ANN401 - a Jinja module
    """The macros as dbt has them, without dbt."""
    made = jinja2.Environment(extensions=["jinja2.ext.do"])
    made.globals |= {"exceptions": SimpleNamespace(raise_compiler_error=pytest.fail), "return": lambda value: value}
    folder = PROJECT_DIR / "macros"
    files = [
        *folder.glob("snapshot/*.sql"),
        *folder.glob("text/*.sql"),
        folder / "dbt/spark__escape_single_quotes.sql",
    ]
    # Macros that ask dbt are not rendered here.
    sources = [file.read_text() for file in sorted(files)]
    return made.from_string("\n".join(source for source in sources if "{% macro" in source)).module


def statement(rows: str, described: list[dict[str, Any]], columns: list[Case]) -> str:
    """A query of all values and failures of some rows (id and columns), each row as JSON."""
    made = macros()
    pairs = list(zip(described, columns, strict=True))
    typed = [f"{made.typed_column(column, case.kind)} as {column['alias']}" for column, case in pairs]
    shown = [_shown(case.kind, column["alias"]) for column, case in pairs]
    failures = [f"size({made.cast_failures([column], [case.kind])}) = 1" for column, case in pairs]
    return f"""
    with rows as (
        select *, to_json(columns) as row_image, cast(map() as map<string, string>) as declared_types,
            'UTC' as time_zone
        from ({rows})
    ),
    typed as (select id, columns, {", ".join(typed)} from rows)
    select id, to_json(named_struct('values', array({", ".join(shown)}), 'failures', array({", ".join(failures)})))
    from typed
    """


def write_texts(folder: Path, given: Sequence[str | None]) -> Path:
    """Write texts to a file, numbered from 0, because Spark does not fold the content of a file into the plan."""
    file = folder / "texts.parquet"
    numbers, column = pa.array(range(len(given)), pa.int32()), pa.array(given, pa.string())
    parquet.write_table(pa.table({"id": numbers, "text": column}), file)
    return file


def settings_of(columns: list[Case]) -> list[dict[str, Any]]:
    return [{"alias": f"c{number}", "type": case.kind} | case.settings for number, case in enumerate(columns)]


def _shown(kind: str, column: str) -> str:
    if kind.startswith(("timestamp", "local")):
        return f"cast(unix_micros({column}) as string)"
    if kind.startswith("binary"):
        return f"hex({column})"
    # A float that is shown as a double has all of its digits.
    return f"cast(cast({column} as double) as string)" if kind == "float" else f"cast({column} as string)"


def test_values_are_those_of_the_page(server: Server, tmp_path: Path) -> None:
    given, columns = texts(), list(cases())
    assert len(given) > 5000
    file = write_texts(tmp_path, given)
    wrong = []
    described = [{"name": "text"} | settings for settings in settings_of(columns)]
    texts_of_file = f"select id, map('text', text) as columns from parquet.`{file}`"
    rows = server.query(statement(texts_of_file, described, columns))
    assert len(rows) == len(given)
    for number, answer in rows:
        text, found = given[number], json.loads(answer)
        for case, shown, failed in zip(columns, found["values"], found["failures"], strict=True):
            expected = None if text is None else case.expected(text)
            value = typed_values.read_back(case.kind, shown)
            if value != expected or failed != typed_values.is_failure(case.kind, text, expected):
                wrong.append((case.kind, case.settings, text, shown, failed, expected))
    assert not wrong, "\n".join([f"{len(wrong)} differences", *map(str, wrong[:60])])
    taken = [sum(text is not None and case.expected(text) is not None for text in given) for case in columns]
    assert min(taken) >= 2, taken


def test_columns_of_older_avro_schemas_have_values_of_every_kind(server: Server, tmp_path: Path) -> None:
    """A column's own value or null, else that of the first older name, else the default; nothing without an image."""
    given_texts = texts()
    found = [(case, [text for text in given_texts if text and case.expected(text) is not None]) for case in cases()]
    columns, taken = map(list, zip(*[(case, some) for case, some in found if len(some) > 3], strict=True))
    default, value, older, oldest = ([some[place] for some in taken] for place in (0, 1, 2, -1))
    described = [
        {"name": f"{number} it's", "default": text, "aliases": [f"{number} older", f"{number} oldest"]} | settings
        for number, (settings, text) in enumerate(zip(settings_of(columns), default, strict=True))
    ]
    # Of two more the default is null, or they have none and no older name.
    for more in ({"aliases": ["alone"]}, {}):
        described.append({"name": f"more {len(described)}", "alias": f"c{len(described)}", "type": "string"} | more)
        columns.append(Case("string", str, {}))
    own, first, second = (
        {f"{number} {name}": text for number, text in enumerate(some)}
        for name, some in (("it's", value), ("older", older), ("oldest", oldest))
    )
    given: list[tuple[dict[str, str | None] | None, list[str | None]]] = [
        (first | second | own, [*value, None, None]),
        (first | second, [*older, None, None]),
        (second | {"alone": "x"}, [*oldest, "x", None]),
        ({}, [*default, None, None]),
        (first | dict.fromkeys(own), [None] * len(columns)),
        (None, [None] * len(columns)),
    ]
    images = [None if image is None else json.dumps(image) for image, _ in given]
    rows = f"select id, read_columns(text) as columns from parquet.`{write_texts(tmp_path, images)}`"
    for number, answer in server.query(statement(rows, described, columns)):
        answered, expected = json.loads(answer), given[number][1]
        for case, shown, text in zip(columns, answered["values"], expected, strict=True):
            assert typed_values.read_back(case.kind, shown) == (None if text is None else case.expected(text)), case
        assert not any(answered["failures"])
