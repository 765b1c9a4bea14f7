"""The Arrow wrappers: nulls, errors next to results, slices, and one bad value that does not affect its batch."""

import json
from typing import Any

import pyarrow as pa
import pytest
from watershed_udfs import arrow
from watershed_udfs.errors import PayloadError

MEMBERS = json.dumps([["a", "text"], ["b.c", "object"]])
VALUES = [b'{"a":1.10,"b":{"c":{"y":1,"x":2}}}', None, b"\xff", b"eyJhIjoiw6kifQ==", b'{"a":[]}']
OPENED = [
    {"members": ["1.10", '{"x":2,"y":1}'], "error_code": None, "error_detail": None},
    {"members": None, "error_code": "empty_value", "error_detail": "no bytes"},
    {"members": None, "error_code": "invalid_utf8", "error_detail": "byte 0 of 1: invalid start byte"},
    {"members": ["é", None], "error_code": None, "error_detail": None},
    {"members": None, "error_code": "unexpected_type", "error_detail": "a: expected text, found array"},
]
NOT_UTF8 = pa.array([b"\xff"]).view(pa.string())


@pytest.mark.parametrize("binary", [pa.binary(), pa.large_binary()])
@pytest.mark.parametrize("string", [pa.string(), pa.large_string()])
def test_open_json_column_gives_members_or_an_error(binary: pa.DataType, string: pa.DataType) -> None:
    values, members = pa.array(VALUES, binary), pa.array([MEMBERS] * len(VALUES), string)
    assert arrow.open_json_column(values, members).to_pylist() == OPENED
    assert arrow.open_json_column(values.slice(1, 3), members.slice(1, 3)).to_pylist() == OPENED[1:4]
    assert len(arrow.open_json_column(values.slice(5), members.slice(5))) == 0


def test_open_json_column_takes_several_specifications() -> None:
    values = pa.array([b'{"a":1,"b":{}}'] * 2)
    members = pa.array(['[["a","text"]]', '[["b","any"],["a","any"]]'])
    assert [row["members"] for row in arrow.open_json_column(values, members).to_pylist()] == [["1"], ["{}", "1"]]


@pytest.mark.parametrize("members", [None, "", '[["a","number"]]'])
def test_open_json_column_fails_on_a_wrong_specification(members: str | None) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - a fault of the query
        arrow.open_json_column(pa.array([b"{}"]), pa.array([members], pa.string()))


def test_pick_key_column_takes_nulls_slices_and_bad_text() -> None:
    images = pa.array(['{"a":1.0,"b":2}', None, '{"a":1}', '{"b":"x"}'])
    columns = pa.array([["a", "b"], ["a"], None, ["b"]])
    assert arrow.pick_key_column(images, columns).to_pylist() == ['{"a":1,"b":2}', None, None, '{"b":"x"}']
    assert arrow.pick_key_column(images.slice(2), columns.slice(2)).to_pylist() == [None, '{"b":"x"}']
    assert arrow.pick_key_column(images, pa.nulls(4)).to_pylist() == [None] * 4
    assert arrow.pick_key_column(NOT_UTF8, pa.array([["a"]])).to_pylist() == [None]
    not_utf8_names = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), NOT_UTF8)
    assert arrow.pick_key_column(pa.array(['{"a":1}']), not_utf8_names).to_pylist() == [None]


def test_read_columns_column_keeps_null_apart_from_missing() -> None:
    images = pa.array(['{"a":null,"b":1.10}', None, "{}", "[]"])
    assert arrow.read_columns_column(images).to_pylist() == [[("a", None), ("b", "1.10")], None, [], None]
    assert arrow.read_columns_column(NOT_UTF8).to_pylist() == [None]


def test_result_columns_give_a_result_or_an_error() -> None:
    rows = arrow.decode_base64_column(pa.array(["QQ==", None, "Q"])).to_pylist()
    assert [row["result"] for row in rows] == [b"A", None, None]
    assert [row["error"] for row in rows] == [None, None, "invalid_base64: 1 characters are not a multiple of 4"]


def test_a_bare_null_is_a_null_column() -> None:
    assert arrow.decode_base64_column(pa.nulls(2)).to_pylist() == [{"result": None, "error": None}] * 2
    assert arrow.read_columns_column(pa.nulls(1)).to_pylist() == [None]
    members = pa.array([MEMBERS])
    assert arrow.open_json_column(pa.nulls(1), members).to_pylist() == [OPENED[1]]


@pytest.mark.parametrize("error", [PayloadError("malformed_json", "x"), RecursionError(), MemoryError()])
def test_outcome_turns_bad_data_into_a_failure(error: Exception) -> None:
    def fail(_: Any) -> None:  # noqa: ANN401
        raise error

    result, failure = arrow.outcome(fail, None)
    assert result is None
    assert failure is not None
    assert failure[0] == "malformed_json"
