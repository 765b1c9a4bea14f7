"""Columns of a row image as text, in Java and by the reference."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from java_side import agreed
from json_strategies import OBJECT_TEXTS
from watershed_udfs.errors import PayloadError
from watershed_udfs.strict_json import canonical_text, read_json

read_columns = agreed("read_columns")


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
