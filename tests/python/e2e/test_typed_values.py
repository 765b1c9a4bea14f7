"""Every kind of value, over thousands of hostile texts: the macros return what values.md defines."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import jinja2
import pyarrow as pa
import pytest
import typed_values
from conftest import PROJECT_DIR, Server
from pyarrow import parquet

pytestmark = pytest.mark.e2e
LABELS = ["new", "it's", "a(b)", "é,", "", "x"]
MANY_LABELS = [f"l{number}" for number in range(64)]
ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "+05:30"]


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
    for keep_text in (False, True):
        yield Case(
            "timestamp_seconds",
            lambda text, keep_text=keep_text: typed_values.timestamp_seconds(text, keep_text),
            {"keep_text": keep_text},
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


def number_texts() -> Iterator[str]:
    whole = ["", "0", "1", "5", "9", "00", "007", "64", "127", "128", "255", "256", "999", "32767", "32768", "1234567"]
    whole += [str(2**bits + more) for bits in (31, 32, 53, 63, 64) for more in (-1, 0, 1)]
    whole += ["9" * 18, "9" * 20, "9" * 38, "1" + "0" * 38, "0" * 40 + "1", "123456789" * 9, "0" * 20]
    fractions = ["", ".", ".0", ".5", ".25", ".123", ".00", ".000000000000000001", "." + "9" * 38, "." + "0" * 50 + "1"]
    exponents = ["", "e0", "E1", "e+2", "E-2", "e-10", "E38", "E-45", "e-46", "E308", "e309", "E-324", "e-400"]
    exponents += ["E0005", "e99999", "e", "E+", "e1.5"]
    for sign in ("", "+", "-"):
        yield from (sign + "".join(one) for one in itertools.product(whole, fractions, exponents[:1]))
        yield from (sign + "".join(one) for one in itertools.product(whole[:9], fractions[:6], exponents))
    yield from (
        "3.4028235E38",
        "3.4028236e38",
        "1.7976931348623157E308",
        "1.7976931348623159E308",
        "4.9E-324",
        "2E-324",
    )
    yield from ("16777217", "16777219", "9007199254740993", "1e23", "2.2250738585072011e-308", "0.1", "1E-7", "0E-10")


def time_texts() -> Iterator[str]:
    days = [
        "2020-02-29",
        "2021-02-29",
        "2020-13-01",
        "2020-00-10",
        "2020-01-00",
        "0000-00-00",
        "0000-01-01",
        "0001-01-01",
    ]
    days += [
        "9999-12-31",
        "10000-01-01",
        "1900-01-01",
        "1969-12-31",
        "2020-1-1",
        "20200101",
        "-001-01-01",
        "2024-06-30",
    ]
    # Clocks go forward and back: New York, Berlin, Lord Howe (by half an hour), Shanghai (1940 to 1991).
    turns = [
        "2021-03-14",
        "2021-11-07",
        "2021-03-28",
        "2021-10-31",
        "2021-04-04",
        "2021-10-03",
        "1986-05-04",
        "1991-09-15",
    ]
    times = [
        "",
        " 00:00:00",
        "T00:00:00",
        " 23:59:59",
        " 24:00:00",
        " 12:60:00",
        " 12:30:60",
        " 12:30",
        "T12:30",
        " 12",
    ]
    turning = [f" {hour}:{minute}:00" for hour in ("00", "01", "02", "03") for minute in ("00", "15", "30", "59")]
    fractions = ["", ".", ".0", ".5", ".012345", ".0123450", ".0123456", ".000000000", ".999999999", ".1234567890"]
    zones = ["", "Z", " Z", " UTC", "GMT", "+08:00", " -5:30", "+18:00", "-18:00", "+18:01", "+08:60", " Asia/Shanghai"]
    zones += [" America/Argentina/Buenos_Aires", " CST", "PST8PDT", " Foo/Bar", " utc", "  Z", "+0800", " Etc/GMT+8"]
    yield from map("".join, itertools.product(days, times, ["", " Z", "+14:00", "-12:00"]))
    yield from map("".join, itertools.product(turns, turning, ["", "Z"]))
    yield from map("".join, itertools.product(["2020-11-25", "0000-00-00"], times[1:4] + times[7:9], fractions, zones))
    hours = ["-01", "8", "08", "838", "999", "1000", "--08", "+08"]
    yield from map("".join, itertools.product(hours, [":30:59", ":60:00", ":30:60", ":30"], fractions))
    seconds = [
        "0",
        "-0",
        "1606233662",
        "-1606233662",
        "1606233662000",
        "1606233662123",
        "-1606233662000",
        "99999999999",
    ]
    seconds += ["253402300799", "253402300800", "-62135596800", "-62135596801", "1" * 14, "0000000000000", "+5", ""]
    yield from map("".join, itertools.product(seconds, fractions))
    yield from map(str, (-62135596800000, -62135596800001, 253402300799999, 253402300800000))
    yield from map(str, (-62135596800000000, -62135596800000001, 253402300799999999, 253402300800000000))


def other_texts() -> Iterator[str]:
    yield from ("", " ", "\t", "\n", "\0", "null", "NULL", "N/A", "n/a", "-", "+", ".", "e", "E5", "--1", "+-1", "1-")
    yield from (
        "true",
        "TRUE",
        "False",
        "fALSE",
        "t",
        "f",
        "yes",
        "no",
        "on",
        "tru\u0435",
        " true",
        "true\n",
        "\ufb01",
        "trUe\0",
    )
    yield from (
        "NaN",
        "nan",
        "Infinity",
        "-inf",
        "1d",
        "1f",
        "1L",
        "0x10",
        "1_000",
        "1,5",
        "1 000",
        "\uff15",
        "\u0663",
        "1e\u0663",
        "\u00a05",
    )
    yield from (
        "AA==",
        "AP9B",
        "AP\n9B",
        " A A = = ",
        "AP9",
        "AB==",
        "AAA=",
        "AAB=",
        "A===",
        "====",
        "AP9!",
        "AP-_",
        "AAAAAAAAAAU=",
    )
    yield from (
        "/" * 12,
        "AQAAAAAAAAA=",
        "AAAAAAAAAAAA",
        "AQAAAAAAAAAA",
        "AP9B\u2003",
        "AP9B\x0b",
        "AA==AA==",
        "BQ==",
        "é",
        "ÿ",
        "Ā",
    )
    yield from ("\x80\xff", "🎉", "\ud7ff", "a\u0000b", "\x7f", "x" * 5000, "AAAA" * 2000)
    yield from (str(2**bits - 1) for bits in range(1, 66))
    yield from (
        f"{start}{text}{end}"
        for text in ("1", "1.5", "2020-11-25", "2020-11-25 00:01:02", "08:30:00", "1606233662")
        for start in ("", " ", "\n", "\t", "\u2003", "\x01")
        for end in ("", " ", "\n", "\r\n", "\x1f", "\0", "x")
    )


def damaged(texts: list[str]) -> Iterator[str]:
    """Texts with a character changed, left out or added; the same in each run."""
    chance = random.Random(42)
    alphabet = "0123456789+-.:eETZ /aA=é\n"
    for text in chance.sample(texts, 800):
        place = chance.randrange(len(text) + 1)
        yield text[:place] + chance.choice(alphabet) + text[place + chance.randrange(2) :]


def texts() -> list[str | None]:
    known = list(dict.fromkeys([*number_texts(), *time_texts(), *other_texts()]))
    return [None, *dict.fromkeys([*known, *damaged(known)])]


def macros() -> Any:  # noqa: ANN401 - a Jinja module
    """The macros as dbt has them, without dbt."""
    made = jinja2.Environment(extensions=["jinja2.ext.do"])
    made.globals |= {"exceptions": SimpleNamespace(raise_compiler_error=pytest.fail), "return": lambda value: value}
    folder = PROJECT_DIR / "macros"
    files = [
        *folder.glob("snapshot/*.sql"),
        *folder.glob("text/*.sql"),
        folder / "spark/spark__escape_single_quotes.sql",
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
        select *, cast(map() as map<string, string>) as declared_types, 'UTC' as time_zone
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
    if kind.startswith("timestamp"):
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
