"""Columns of a row image as text, in Java and by the reference."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from java_side import agreed
from json_strategies import OBJECT_TEXTS
from reference.strict_json import read_json
from watershed_udfs.errors import PayloadError
from watershed_udfs.json_columns import canonical_text

read_columns, text_map, millis_timestamp = agreed("read_columns"), agreed("text_map"), agreed("millis_timestamp")


def test_read_columns_reads_each_kind() -> None:
    image = '{"a":"x\\u0000\\n","b":1.10,"c":null,"d":true,"e":{"f":[1E400]},"g":[],"h":"","é":"null"}'
    texts = {"a": "x\x00\n", "b": "1.10", "c": None, "d": "true", "e": '{"f":[1E400]}', "g": "[]", "h": "", "é": "null"}
    assert read_columns(image) == texts
    assert read_columns(image.encode()) == texts


@pytest.mark.parametrize(
    "image", [None, "", "null", "[]", "1", '{"a":', b'{"a":"\xff"}', b'{"\xff":1}', '{"a":"\\ud83d"}']
)
def test_read_columns_gives_null_without_an_object(image: str | bytes | None) -> None:
    assert read_columns(image) is None


@settings(max_examples=300, deadline=None)
@given(OBJECT_TEXTS, st.binary(max_size=20))
def test_read_columns_is_total(text: str, junk: bytes) -> None:
    read_columns(junk)
    read_columns(text)
    try:
        message = read_json(text.encode())
    except PayloadError:
        return
    columns = read_columns(canonical_text(message))
    assert columns is not None
    assert set(columns) == set(message)
    for name, value in message.items():
        expected = None if value is None else value if isinstance(value, str) else canonical_text(value)
        assert columns[name] == expected


def test_text_map_leaves_out_what_is_null() -> None:
    assert text_map(["a", "b", "c"], ["1", None, ""]) == {"a": "1", "c": ""}
    assert text_map([], []) == {}


@pytest.mark.parametrize(
    ("millis", "micros"),
    [
        ("0", 0),
        ("1649991726000", 1649991726000000),
        ("000000000000001", 1000),
        ("253402300799999", 253402300799999000),
        ("253402300800000", None),
        ("0000000000000001", None),
        *[(text, None) for text in ("", "-1", "+1", " 1", "1.0", "1e3", "\u0661")],
    ],
)
def test_millis_timestamp_reads_digits_up_to_9999(millis: str, micros: int | None) -> None:
    assert millis_timestamp(millis) == micros
