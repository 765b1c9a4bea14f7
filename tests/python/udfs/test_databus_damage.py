"""Damaged events: every flipped bit, every cut, and anything at all."""

import base64
import json
from typing import Any

import pytest
from databus_events import crc, write_v1, write_v2, written_events
from hypothesis import given, settings
from hypothesis import strategies as st
from test_databus_vectors import EVENTS
from watershed_udfs.databus.event import Event
from watershed_udfs.databus.stream import read_databus, read_stream
from watershed_udfs.errors import REASON_CODES

FLIPPED = [
    case
    for case in EVENTS
    if case["name"]
    in (
        "v1-long-key-1",
        "v1-long-key-9223372036854775807",
        "v1-byte-key-2",
        "v1-eop-buffer-style",
        "v1-flags-bytekey-DELETE-trace-repl",
        "v2-key0-meta1",
        "v2-key1-meta1",
        "v2-key3-meta0",
        "v2-eop",
    )
]
V2_MAGIC = range(1, 5)
CRC_CODES = {"databus_header_crc", "databus_value_crc"}


def flips(data: bytes) -> list[tuple[int, bytes]]:
    """Give each place of n bytes, 8 times, with one bit of it flipped."""
    return [
        (place, data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])
        for place in range(len(data))
        for bit in range(8)
    ]


@pytest.mark.parametrize("case", FLIPPED, ids=lambda case: f"{case['case']}-{case['name']}")
def test_every_flipped_bit_is_caught_but_those_of_the_magic_number(case: dict[str, Any]) -> None:
    data = base64.b64decode(case["rawB64"])
    (whole,) = read_stream(data)
    for place, damaged in flips(data):
        (event,) = read_stream(damaged)
        if data[0] == 2 and place in V2_MAGIC:
            assert event == whole, place  # no checksum covers it, and Databus does not look at it
        elif place == 0:
            assert event.error_code is not None
        elif data[0] == 2 and place < 9:  # the header's length, which determines the range of the header's checksum
            assert event.error_code in ("databus_header_crc", "databus_invalid_length", "databus_truncated"), place
        else:
            assert event.error_code in CRC_CODES, place


def test_flipped_bits_come_in_both_versions_orders_and_kinds_of_keys() -> None:
    kinds = {(event.version, event.byte_order) for case in FLIPPED for event in read_databus(case["rawB64"].encode())}
    assert kinds == {(0, "big"), (0, "little"), (2, "big"), (2, "little")}
    assert {case["expected"]["keyType"] for case in FLIPPED} == {"LONG", "STRING", "SCHEMA"}


@settings(max_examples=200, deadline=None)
@given(written_events())
def test_written_events_are_read_again(written: tuple[Event, bytes]) -> None:
    event, data = written
    assert read_stream(data) == [event]
    assert read_databus(base64.encodebytes(data)) == [event]


@settings(max_examples=200, deadline=None)
@given(st.lists(written_events(), min_size=1, max_size=4), st.data())
def test_a_cut_stream_gives_the_whole_events_and_a_truncated_one(
    written: list[tuple[Event, bytes]], data: st.DataObject
) -> None:
    stream = b"".join(one for _, one in written)
    events = read_stream(stream)
    position = 0
    for index, (event, one) in enumerate(written):
        assert events[index] == event._replace(
            event_index=index, byte_offset=position, occurrence=events[index].occurrence
        )
        position += len(one)
    assert len(events) == len(written)
    cut = data.draw(st.integers(0, len(stream)))
    left = read_stream(stream[:cut])
    whole = [event for event in events if event.byte_offset + event.byte_length <= cut]
    assert left[: len(whole)] == whole
    rest = left[len(whole) :]
    end = whole[-1].byte_offset + whole[-1].byte_length if whole else 0
    assert [(event.error_code, event.byte_offset, event.byte_length) for event in rest] == (
        [("databus_truncated", end, cut - end)] if cut > end else []
    )


@settings(max_examples=500, deadline=None)
@given(st.sampled_from([b"", b"\x00", b"\x02", b"\x02\xca\xfe\xde\xed", b"{", b" "]), st.binary(max_size=120))
def test_any_bytes_give_events_that_cover_them(start: bytes, rest: bytes) -> None:
    check_cover(read_databus(start + rest))
    events = read_stream(start + rest)
    check_cover(events)
    if events:
        assert events[-1].byte_offset + events[-1].byte_length == len(start + rest)


@settings(max_examples=300, deadline=None)
@given(st.lists(written_events(), min_size=1, max_size=3), st.data())
def test_damaged_streams_give_events_that_cover_them(written: list[tuple[Event, bytes]], data: st.DataObject) -> None:
    stream = b"".join(one for _, one in written)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(stream)))
        end = data.draw(st.integers(start, min(len(stream), start + 4)))
        stream = stream[:start] + data.draw(st.binary(max_size=4)) + stream[end:]
    check_cover(read_stream(stream))
    check_cover(read_databus(stream))
    check_cover(read_databus(base64.b64encode(stream)))


def check_cover(events: list[Event]) -> None:
    position = 0
    for index, event in enumerate(events):
        assert (event.event_index, event.byte_offset) == (index, position)
        assert event.byte_length > 0 or event.error_code == "empty_value"
        assert event.error_code is None or event.error_code in REASON_CODES
        assert (event.message_key is None) == (event.error_code is not None)
        if event.message_key is not None:
            assert len(json.loads(event.message_key)) == 1
        position += event.byte_length


def event_of(**fields: Any) -> Event:  # noqa: ANN401 - any field
    values = {"byte_order": "big", "key_type": "long", "sequence": 7, "physical_partition": 0, "logical_partition": 0}
    return Event(0, **(values | {"timestamp_nanos": 1, "source_id": 40, "value": b"v"} | fields))


def with_sums(data: bytes, body: int, crc_start: int) -> bytes:
    """Correct both sums of a big-endian event whose header ends at `body`."""
    crc_place, value_place = (1, 49) if crc_start == 5 else (9, 13)
    data = data[:value_place] + crc(data[body:]).to_bytes(4, "big") + data[value_place + 4 :]
    return data[:crc_place] + crc(data[crc_start:body]).to_bytes(4, "big") + data[crc_place + 4 :]


@pytest.mark.parametrize(
    ("key_size", "code"),
    [(-1, "databus_key_size"), (5, "databus_key_size"), (2**31 - 1, "databus_key_size"), (4, None)],
)
def test_key_sizes_are_checked_and_reading_goes_on(key_size: int, code: str | None) -> None:
    good = write_v1(event_of(), b"key")
    bad = with_sums(good[:53] + key_size.to_bytes(4, "big", signed=True) + good[57:], 57, 5)
    first, second = read_stream(bad + good)
    assert (first.error_code, first.byte_length) == (code, len(good))
    assert (second.error_code, second.byte_offset, second.occurrence) == (None, len(good), 0)


@pytest.mark.parametrize(
    ("place", "byte", "code"),
    [
        (22, 0x81, "databus_unsupported_key_type"),
        (48, 0xFF, "databus_key_size"),
        (45, 0x80, "databus_key_size"),
        (55, 0x05, "databus_invalid_length"),
        (52, 0x80, "databus_invalid_length"),
        (57, 0x02, "databus_invalid_length"),
    ],
)
def test_lengths_of_version_2_are_checked_and_reading_goes_on(place: int, byte: int, code: str) -> None:
    good = write_v2(event_of(key_type="string", version=2), b"key")
    assert len(good) == 52 + 22 + 1
    assert read_stream(good)[0].error_code is None
    bad = with_sums(good[:place] + bytes([byte]) + good[place + 1 :], 52, 13)
    first, second = read_stream(bad + good)
    assert (first.error_code, first.byte_length) == (code, len(good))
    assert (second.error_code, second.byte_offset) == (None, len(good))


@pytest.mark.parametrize("length", [-1, 0, 45, 48])
def test_header_lengths_of_version_2_are_checked(length: int) -> None:
    good = write_v2(event_of(version=2), 1)
    (event,) = read_stream(good[:5] + length.to_bytes(4, "big", signed=True) + good[9:])
    assert event.error_code == "databus_invalid_length"


def test_lengths_decide_where_the_checksum_reads_the_same_both_ways() -> None:
    for key in range(200_000):
        data = write_v1(event_of(value=b""), key)
        if data[1:5] == data[4:0:-1]:
            break
    else:
        pytest.fail("no such event")
    (event,) = read_stream(data)
    assert (event.error_code, event.byte_order, event.message_key) == (None, "big", f'{{"key":{key}}}')
    (event,) = read_stream(data[:-1] + bytes([data[-1] ^ 1]))
    assert event.error_code == "databus_header_crc"
    (event,) = read_stream(write_v1(event_of(byte_order="little", value=b""), key))
    assert (event.error_code, event.byte_order) == (None, "little")


@pytest.mark.parametrize(
    ("value", "code", "detail"),
    [
        (None, "empty_value", "event 0, byte 0: 0 bytes"),
        (b"", "empty_value", "event 0, byte 0: 0 bytes"),
        (b" \n", "empty_value", "event 0, byte 0: 2 bytes"),
        (b"AAA", "invalid_base64", "event 0, byte 0: 3 characters are not a multiple of 4"),
        (b"A!==", "invalid_base64", "event 0, byte 0: 4 characters: a foreign one, wrong padding, or unused bits set"),
        (b'{"error":"secret"}', "databus_remote_error", "event 0, byte 0: a JSON text where an event should start"),
        (b'\n {"error":"secret"}', "databus_remote_error", "event 0, byte 0: a JSON text where an event should start"),
        (b"eyJlcnJvciI6MX0=", "databus_remote_error", "event 0, byte 0: a JSON text where an event should start"),
        (b"\x01", "databus_unknown_version", "event 0, byte 0: version byte 1"),
        (b"\n\x00", "databus_unknown_version", "event 0, byte 0: version byte 10"),
        (b"[1]", "databus_unknown_version", "event 0, byte 0: version byte 91"),
    ],
)
def test_values_without_events(value: bytes | None, code: str, detail: str) -> None:
    (event,) = read_databus(value)
    assert (event.error_code, event.error_detail) == (code, detail)


def test_occurrences_count_equal_content_only() -> None:
    first, other = write_v1(event_of(), 1), write_v1(event_of(), 2)
    later = write_v1(event_of(timestamp_nanos=5, byte_order="little"), 1)
    events = read_stream(first + other + later + first + other)
    assert [event.occurrence for event in events] == [0, 0, 1, 2, 1]
    assert [event.occurrence for event in read_stream(first + first + b"\x01")] == [0, 1, None]


def test_occurrences_compare_content_not_form() -> None:
    deletes = write_v1(event_of(opcode="DELETE", value=b""), 1) + write_v2(
        event_of(version=2, opcode="DELETE", value=None, schema_id=None), 1
    )
    upserts = write_v1(event_of(opcode="UPSERT", schema_id="11" * 16), 1) + write_v1(event_of(opcode=None), 1)
    assert [event.occurrence for event in read_stream(deletes + upserts)] == [0, 1, 0, 1]


def test_both_opcode_bits_are_an_upsert_in_version_2() -> None:
    data = write_v2(event_of(version=2, opcode="UPSERT"), 1)
    (event,) = read_stream(with_sums(data[:22] + bytes([data[22] | 2]) + data[23:], 53, 13))
    assert (event.error_code, event.opcode) == (None, "UPSERT")
