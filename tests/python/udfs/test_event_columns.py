"""Events read as columns: whatever the values are, the result is that of the decoder that reads event by event."""

import base64
import random
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest
from databus_events import signed, write_v1, write_v2, written_events
from hypothesis import given, settings
from hypothesis import strategies as st
from test_databus_damage import FLIPPED, flips
from test_databus_vectors import EVENTS, STREAMS, VECTORS
from watershed_udfs.arrow_databus import read_databus_column
from watershed_udfs.databus import event_columns
from watershed_udfs.databus.event import Event
from watershed_udfs.databus.stream import read_databus

PLAIN = Event(0, 0, 0, "big", "UPSERT", "long", None, 7, 1, 2, 3, 40, "ab" * 16, 0, b"value")
LONG_V2 = PLAIN._replace(logical_partition=1)
TEXT_V2 = LONG_V2._replace(key_type="string")
JSON_CASES = (
    b"",
    b"a\tb",
    b'"',
    b"\\",
    b"\x00\x1f\x7f",
    "\u00e9\u20ac\U0001f600".encode(),
    b"\xff",
    b"\xed\xa0\x80",
    b"/",
)


@pytest.fixture(autouse=True, scope="module")
def _columns_for_one_stream() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_columns, "FEWEST_STREAMS", 1)
        yield


def check(values: Sequence[bytes | None]) -> None:
    column = read_databus_column(pa.array(values, pa.binary()))
    column.validate(full=True)
    assert column.to_pylist() == [[event._asdict() for event in read_databus(value)] for value in values]


def left_over(values: Sequence[bytes]) -> list[bool]:
    bounds = np.cumsum([0, *map(len, values)])
    _, is_left = event_columns.read_plain_streams(b"".join(values), bounds[:-1], bounds[1:])
    left: list[bool] = is_left.tolist()
    return left


STREAM = st.lists(written_events().map(lambda written: written[1]), min_size=1, max_size=4).map(b"".join)


@st.composite
def damaged_streams(draw: st.DrawFn) -> bytes:
    stream = draw(STREAM)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(stream)))
        end = draw(st.integers(start, min(len(stream), start + 4)))
        stream = stream[:start] + draw(st.binary(max_size=4)) + stream[end:]
    return stream


@st.composite
def flipped_streams(draw: st.DrawFn) -> bytes:
    stream = draw(STREAM)
    place, bit = draw(st.integers(0, len(stream) - 1)), draw(st.integers(0, 7))
    return stream[:place] + bytes([stream[place] ^ 1 << bit]) + stream[place + 1 :]


STARTS = st.sampled_from([b"", b"\x00", b"\x02", b"\x02\xca\xfe\xde\xed", b"\x02\xed\xde\xfe\xca", b"{", b" "])
VALUES = st.one_of(
    st.none(),
    STREAM,
    st.tuples(STREAM, st.integers(0, 300)).map(lambda cut: cut[0][: cut[1]]),
    STREAM.map(lambda stream: stream * 2),
    STREAM.map(base64.encodebytes),
    damaged_streams(),
    flipped_streams(),
    st.tuples(STARTS, st.binary(max_size=120)).map(b"".join),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(VALUES, max_size=6))
def test_any_values_are_read_as_one_by_one(values: list[bytes | None]) -> None:
    check(values)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(VALUES, max_size=6), st.integers(0, 6), st.integers(0, 6), st.sampled_from([pa.binary, pa.large_binary])
)
def test_slices_are_read_as_whole_arrays(values: list[bytes | None], start: int, count: int, kind: type) -> None:
    part = read_databus_column(pa.array(values, kind()).slice(start, count))
    assert part.to_pylist() == read_databus_column(pa.array(values[start:][:count], pa.binary())).to_pylist()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(JSON_CASES), signed(64)), min_size=1, max_size=4, unique=True))
def test_texts_of_keys_are_those_of_single_events(keys: list[tuple[bytes, int]]) -> None:
    values = [write_v1(PLAIN, text * 2) + write_v2(TEXT_V2, text + b"x") for text, _ in keys]
    values += [write_v1(PLAIN, number) + write_v2(LONG_V2, number) for _, number in keys]
    check(values)
    # the two events of a number have the same key and sequence, so that the second might be the first once more
    assert left_over(values) == [False] * len(keys) + [True] * len(keys)


@pytest.mark.parametrize("seed", range(3))
def test_all_vectors_are_read_as_one_by_one(seed: int) -> None:
    texts = [case["rawB64"].encode() for case in [*EVENTS, *STREAMS]]
    values: list[bytes | None] = [None, b"", (VECTORS / "DbusEventUpsertByOldJava.evt").read_bytes(), *texts]
    values += [base64.b64decode(text) for text in texts]
    random.Random(seed).shuffle(values)
    check(values)


@pytest.mark.parametrize("case", FLIPPED, ids=lambda case: f"{case['case']}-{case['name']}")
def test_every_flipped_bit_gives_what_it_gives_one_by_one(case: dict[str, str]) -> None:
    data = base64.b64decode(case["rawB64"])
    values: list[bytes | None] = [damaged for _, damaged in flips(data)]
    check(values + [data[:length] for length in range(len(data))])


def test_plain_streams_are_read_as_columns() -> None:
    stream = write_v1(PLAIN, 5) + write_v2(TEXT_V2, b"text") + write_v1(PLAIN._replace(byte_order="little"), b"a\tb")
    stream += write_v2(LONG_V2._replace(byte_order="little"), -1) + write_v2(LONG_V2._replace(value=None), 1)
    values = [stream, write_v1(PLAIN, 1), stream[:-1], b"", stream * 2]
    assert left_over(values) == [False, False, True, True, True]
    check(values)


def test_vectors_are_read_as_columns_but_for_the_unusual_ones() -> None:
    cases = [case for case in EVENTS if case["expected"] is not None]
    left = left_over([base64.b64decode(case["rawB64"]) for case in cases])
    assert left == [
        case["expected"]["keyType"] == "SCHEMA" or case["expected"].get("metadataPart") is not None for case in cases
    ]
    assert left.count(True) < len(left) / 5


def test_few_streams_are_left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_columns, "FEWEST_STREAMS", 3)
    one = write_v1(PLAIN, 5)
    assert left_over([one] * 2) == [True] * 2
    assert left_over([one] * 3) == [False] * 3
    more = one + write_v1(PLAIN, 6)
    assert left_over([one, more, more]) == [False, True, True]
    check([one, more, more])


def test_streams_beyond_the_offsets_of_arrow_are_left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    one = write_v1(PLAIN, 5)
    monkeypatch.setattr(event_columns, "MOST_BYTES", 2 * len(one))
    assert left_over([one] * 3) == [False, False, True]
    check([one] * 3)


def test_events_of_the_same_content_are_counted() -> None:
    again = PLAIN._replace(timestamp_nanos=99, physical_partition=9, logical_partition=9)
    stream = write_v1(PLAIN, b"k") + write_v1(PLAIN, b"k2") + write_v2(again._replace(key_type="string"), b"k")
    ((first, _, third),) = read_databus_column(pa.array([stream])).to_pylist()
    assert (first["occurrence"], third["occurrence"], third["version"]) == (0, 1, 2)
    check([stream, write_v1(PLAIN, b"k"), stream])


def test_a_null_may_have_bytes_under_it() -> None:
    one = write_v1(PLAIN, 5)
    whole = pa.array([one] * 3, pa.binary())
    hidden = pa.Array.from_buffers(pa.binary(), 3, [pa.py_buffer(b"\x05"), *whole.buffers()[1:]])
    assert hidden.to_pylist() == [one, None, one]
    assert read_databus_column(hidden).to_pylist() == read_databus_column(pa.array([one, None, one])).to_pylist()
