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


@pytest.mark.parametrize("error", [PayloadError("malformed_json", "x"), RecursionError(), MemoryError()])
def test_outcome_turns_bad_data_into_a_failure(error: Exception) -> None:
    def fail(_: Any) -> None:  # noqa: ANN401
        raise error

    result, failure = arrow.outcome(fail, None)
    assert result is None
    assert failure is not None
    assert failure[0] == "malformed_json"
