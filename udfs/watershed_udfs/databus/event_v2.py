"""Databus events of version 2: no pyspark, no Arrow."""

from struct import Struct
from typing import Literal, NamedTuple

from watershed_udfs.databus.crc import databus_crc
from watershed_udfs.databus.event import (
    HEADER_RIGHT,
    HEADER_UNREAD,
    HEADER_WRONG,
    LENGTHS_FIT,
    NO_SCHEMA_ID,
    ByteOrder,
    Event,
    EventError,
    base64_key,
    text_key,
    truncated,
)
from watershed_udfs.errors import ReasonCode

VERSION_BYTE = 2
MAGIC = b"\xca\xfe\xde\xed"
"""Follows the version byte. No checksum covers it, and Databus never reads it: here it is only a hint."""

UPSERT, DELETE = 0x01, 0x02
KEY_TYPE_SHIFT, KEY_TYPE_BITS = 2, 0x03
REPLICATED, TRACE, HAS_METADATA, HAS_PAYLOAD = 0x10, 0x20, 0x40, 0x80
KEY_TYPES: dict[int, Literal["long", "string", "schema"]] = {1: "long", 2: "string", 3: "schema"}

CRC_START, KEY_START = 13, 45
MIN_HEADER = KEY_START + 4
"""The header ends after the key, whose shortest form is a length of 0."""

DIGEST_BYTES = {0: 16, 1: 4}
"""Of a part, by the kind of its digest: MD5 or CRC-32."""

# version, magic, header length, header CRC, body CRC, total length, attributes, nanoseconds, source, partition,
# sequence
_FIELDS = "BIiIIiHqihq"
_HEADERS: dict[ByteOrder, Struct] = {"big": Struct(">" + _FIELDS), "little": Struct("<" + _FIELDS)}
_LONGS: dict[ByteOrder, Struct] = {"big": Struct(">q"), "little": Struct("<q")}
_INTS: dict[ByteOrder, Struct] = {"big": Struct(">i"), "little": Struct("<i")}
_PARTS: dict[ByteOrder, Struct] = {"big": Struct(">ih"), "little": Struct("<ih")}


class Part(NamedTuple):
    """A DbusEventPart: bytes with the digest of their schema."""

    digest: bytes
    schema_version: int
    data: bytes
    end: int


def likely_order(data: bytes, position: int) -> ByteOrder:
    """Guess the byte order, to be tried first, by the magic number."""
    return "little" if data[position + 1 : position + 5] == MAGIC[::-1] else "big"


def read_v2(data: bytes, position: int, order: ByteOrder, event_index: int) -> Event:
    """Read the event of version 2 that starts at `position` (docs/formats/databus_binary.md).

    Args:
        data: a stream of n bytes.
        position: where the event starts; its version byte is known to be 2.
        order: the byte order to read in.
        event_index: counts the events of the stream.

    Raises:
        EventError: `databus_truncated`, `databus_header_crc`, `databus_invalid_length`, `databus_value_crc`,
            `databus_key_size`, `databus_unsupported_key_type`.
    """
    left = len(data) - position
    if left < KEY_START:
        raise truncated(KEY_START, left)
    (_, _, header_length, header_crc, body_crc, length, attributes, nanos, source_id, partition, sequence) = _HEADERS[
        order
    ].unpack_from(data, position)
    if header_length < MIN_HEADER:
        raise EventError("databus_invalid_length", f"header length {header_length}", HEADER_UNREAD)
    if header_length > left:
        raise truncated(header_length, left)
    body, end = position + header_length, position + length
    if databus_crc(data[position + CRC_START : body]) != header_crc:
        raise EventError("databus_header_crc", "the header checksum fits in neither byte order", HEADER_WRONG)
    if length < header_length:
        raise EventError("databus_invalid_length", f"length {length}, header {header_length}", HEADER_RIGHT)
    if length > left:
        raise truncated(length, left, HEADER_RIGHT)
    if databus_crc(data[body:end]) != body_crc:
        raise EventError("databus_value_crc", f"in {length - header_length} bytes after the header", LENGTHS_FIT)

    key_type = KEY_TYPES.get(attributes >> KEY_TYPE_SHIFT & KEY_TYPE_BITS)
    start = position + KEY_START
    if key_type == "long":
        if body - start < _LONGS[order].size:
            raise EventError("databus_key_size", f"{body - start} bytes for a long key", LENGTHS_FIT, length)
        message_key = f'{{"key":{_LONGS[order].unpack_from(data, start)[0]}}}'
    elif key_type == "string":
        start += 4
        key_size = _INTS[order].unpack_from(data, start - 4)[0]
        if not 0 <= key_size <= body - start:
            raise EventError("databus_key_size", f"key size {key_size} of {body - start} bytes", LENGTHS_FIT, length)
        message_key = text_key(data[start : start + key_size])
    elif key_type == "schema":
        message_key = base64_key(_read_part(data, start, body, order, "databus_key_size", length).data)
    else:
        raise EventError("databus_unsupported_key_type", "key type 0", LENGTHS_FIT, length)

    payload = None
    if attributes & HAS_METADATA:  # replication info of Espresso: skipped, but its length is needed
        body = _read_part(data, body, end, order, "databus_invalid_length", length).end
    if attributes & HAS_PAYLOAD:
        payload = _read_part(data, body, end, order, "databus_invalid_length", length)
    has_id = payload is not None and len(payload.digest) == len(NO_SCHEMA_ID) and payload.digest != NO_SCHEMA_ID
    fields = (
        event_index,
        0,
        VERSION_BYTE,
        order,
        "UPSERT" if attributes & UPSERT else "DELETE" if attributes & DELETE else None,
        key_type,
        message_key,
        sequence,
        partition,
        partition,
        nanos,
        source_id,
        payload.digest.hex() if payload is not None and has_id else None,
        None if payload is None else payload.schema_version,
        None if payload is None else payload.data,
        attributes & REPLICATED != 0,
        attributes & TRACE != 0,
        position,
        length,
        None,
        None,
    )
    return Event._make(fields)  # quicker than Event(..)


def _read_part(data: bytes, start: int, end: int, order: ByteOrder, code: ReasonCode, length: int) -> Part:
    """Read the part that starts at `start` and must not exceed `end`; `code` is the reason if it does."""
    layout = _PARTS[order]
    if end - start < layout.size:
        raise EventError(code, f"{end - start} bytes for a part", LENGTHS_FIT, length)
    size, attributes = layout.unpack_from(data, start)
    digest_start = start + layout.size
    digest_bytes = DIGEST_BYTES.get(attributes & 0x03)
    if digest_bytes is None:
        raise EventError(code, f"a part with a digest of unknown kind {attributes & 0x03}", LENGTHS_FIT, length)
    data_start = digest_start + digest_bytes
    if not 0 <= size <= end - data_start:
        raise EventError(code, f"a part of {size} bytes, {end - data_start} left in the event", LENGTHS_FIT, length)
    # bits 2 to 15, shifted with their sign as Java does
    return Part(data[digest_start:data_start], attributes >> 2, data[data_start : data_start + size], data_start + size)
