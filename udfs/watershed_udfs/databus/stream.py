"""Streams of Databus events, back to back: no pyspark, no Arrow."""

from collections.abc import Callable

from watershed_udfs.base64_text import ALPHABET, WHITE_SPACE, decode_base64
from watershed_udfs.databus import event_v1, event_v2
from watershed_udfs.databus.event import HEADER_UNREAD, ByteOrder, Event, EventError
from watershed_udfs.errors import PayloadError
from watershed_udfs.too_large import check_size

JSON_FIRST = ord("{")

_OTHER: dict[ByteOrder, ByteOrder] = {"big": "little", "little": "big"}
_Reader = Callable[[bytes, int, ByteOrder, int], Event]


def read_databus(value: bytes | None) -> list[Event]:
    """Read a landed value (docs/formats/databus_binary.md).

    Args:
        value: a stream of n bytes, or strict Base64 of one (white space allowed); distinguished by the first byte that
            is not white space: an event starts with its version, 0 or 2.

    Returns:
        At least one event. Unreadable data is an event with an error; it is the last one unless its checksums are
        right, because only then the start of the next event is known. No value is one event `empty_value`.
    """
    text = value.lstrip(WHITE_SPACE) if value else b""
    if not value or not text:
        return [_failed(0, 0, len(value or b""), PayloadError("empty_value", f"{len(value or b'')} bytes"))]
    try:
        check_size(value)
        if text[0] in ALPHABET:
            value = decode_base64(text)
    except PayloadError as error:
        return [_failed(0, 0, len(value), error)]
    if text[0] == JSON_FIRST:
        value = text
    return read_stream(value)


def read_stream(data: bytes) -> list[Event]:
    """Read n bytes of events of both versions, back to back, each in its own byte order.

    Returns:
        One event per event, in order; none for no bytes. Only the length of an event locates the next one, so a stream
        ends at the first event whose checksums are wrong.
    """
    events: list[Event] = []
    position, end = 0, len(data)
    while position < end:
        try:
            event = read_event(data, position, len(events))
        except EventError as error:
            event = _failed(len(events), position, error.byte_length or end - position, error)
        events.append(event)
        position += event.byte_length
    return _count_occurrences(events) if len(events) > 1 else events


def read_event(data: bytes, position: int, event_index: int = 0) -> Event:
    """Read the event that starts at `position` of n bytes, in the byte order in which header CRC and lengths fit.

    Raises:
        EventError: it fits in neither; the error is that of the more likely order.
    """
    version = data[position]
    read: _Reader
    if version == event_v1.VERSION_BYTE:
        read, order = event_v1.read_v1, event_v1.likely_order(data, position)
    elif version == event_v2.VERSION_BYTE:
        read, order = event_v2.read_v2, event_v2.likely_order(data, position)
    elif version == JSON_FIRST:
        raise EventError("databus_remote_error", "a JSON text where an event should start", HEADER_UNREAD)
    else:
        raise EventError("databus_unknown_version", f"version byte {version}", HEADER_UNREAD)
    try:
        return read(data, position, order, event_index)
    except EventError as error:
        first_error = error
    try:
        return read(data, position, _OTHER[order], event_index)
    except EventError as error:
        raise (error if error.likelihood > first_error.likelihood else first_error) from None


def _failed(event_index: int, position: int, length: int, error: PayloadError) -> Event:
    return Event(
        event_index,
        byte_offset=position,
        byte_length=length,
        error_code=error.code,
        error_detail=f"event {event_index}, byte {position}: {error.detail}",
    )


def _count_occurrences(events: list[Event]) -> list[Event]:
    """Number the events of equal content, to distinguish a second event from a redelivery of the first.

    Events of different form may have equal content: no opcode is an UPSERT, a schema has two ids, and the versions
    write a delete without a value differently.
    """
    counts: dict[tuple[object, ...], int] = {}
    counted = []
    for event in events:
        content = (event.source_id, event.message_key, event.sequence, event.opcode or "UPSERT", event.value or None)
        before = counts.get(content, 0)
        counts[content] = before + 1
        counted.append(event._replace(occurrence=before) if before and event.error_code is None else event)
    return counted
