"""The Arrow wrappers: nulls, errors next to results, slices, and one bad value that does not affect its batch."""

from typing import Any

import pyarrow as pa
import pytest
from watershed_udfs import arrow
from watershed_udfs.errors import PayloadError


def test_result_columns_give_a_result_or_an_error() -> None:
    rows = arrow.decode_base64_column(pa.array(["QQ==", None, "Q"])).to_pylist()
    assert [row["result"] for row in rows] == [b"A", None, None]
    assert [row["error"] for row in rows] == [None, None, "invalid_base64: 1 characters are not a multiple of 4"]


def test_a_bare_null_is_a_null_column() -> None:
    assert arrow.decode_base64_column(pa.nulls(2)).to_pylist() == [{"result": None, "error": None}] * 2


def test_types_are_compared_row_by_row() -> None:
    befores = pa.array(["int", "int", None, b"\xff", "x"], pa.binary())
    afters = pa.array(["bigint", "int", "int", b"\xff", "int"], pa.binary())
    changes = ["widened", None, "conflicting", None, "conflicting"]
    assert arrow.type_change_column(befores, afters).to_pylist() == changes
    assert arrow.type_change_column(befores.slice(3), afters.slice(3)).to_pylist() == changes[3:]
    assert arrow.type_change_column(pa.nulls(1), pa.nulls(1)).to_pylist() == [None]


def test_the_widest_type_is_found_row_by_row() -> None:
    types = pa.array([["int", "bigint"], None, ["text", "int"], [None], ["int", "long"]])
    readers = pa.array([None, "int", None, None, "double"])
    rows = [
        {"type": "bigint", "refused": []},
        None,
        {"type": "text", "refused": [{"change": "conflicting", "type": "int"}]},
        {"type": None, "refused": []},
        {"type": "double", "refused": []},
    ]
    assert arrow.widest_type_column(types, readers).to_pylist() == rows
    assert arrow.widest_type_column(types.slice(2), readers.slice(2)).to_pylist() == rows[2:]
    assert arrow.widest_type_column(pa.nulls(1), pa.nulls(1)).to_pylist() == [None]


@pytest.mark.parametrize("error", [PayloadError("malformed_json", "x"), RecursionError(), MemoryError()])
def test_outcome_turns_bad_data_into_a_failure(error: Exception) -> None:
    def fail(_: Any) -> None:  # noqa: ANN401
        raise error

    result, failure = arrow.outcome(fail, None)
    assert result is None
    assert failure is not None
    assert failure[0] == "malformed_json"
