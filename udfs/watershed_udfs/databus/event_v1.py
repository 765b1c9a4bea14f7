"""Databus events of version 1, whose version byte is 0: no pyspark, no Arrow."""

from struct import Struct

from watershed_udfs.databus.crc import databus_crc
from watershed_udfs.databus.event import (
    HEADER_RIGHT,
    HEADER_WRONG,
    LENGTHS_FIT,
    NO_SCHEMA_ID,
    ByteOrder,
    Event,
    EventError,
    text_key,
    truncated,
)

VERSION_BYTE = 0

UPSERT, DELETE, TRACE, BYTE_KEY, REPLICATED = 0x0001, 0x0002, 0x0004, 0x0008, 0x0100
"""Bits of the attributes. Old Java writers set each in both bytes: 0x0101 is then UPSERT and, as Databus reads it,
replicated."""

CRC_START, LENGTH_START, KEY_START = 5, 5, 53
LONG_KEY_HEADER, BYTE_KEY_HEADER = 61, 57
"""Bytes before the value, and before the key: a long key counts as header, of a byte key only its size does."""

# version, header CRC, length, attributes, sequence, physical and logical partition, nanoseconds, source, schema,
# value CRC
_FIELDS = "BIiHqhhqh16sI"
_HEADERS: dict[ByteOrder, Struct] = {"big": Struct(">" + _FIELDS), "little": Struct("<" + _FIELDS)}
_LONGS: dict[ByteOrder, Struct] = {"big": Struct(">q"), "little": Struct("<q")}
_INTS: dict[ByteOrder, Struct] = {"big": Struct(">i"), "little": Struct("<i")}


def likely_order(data: bytes, position: int) -> ByteOrder:
    """Guess the byte order, to be tried first: the one in which the length is smaller (by its outer bytes)."""
    if len(data) - position < BYTE_KEY_HEADER:
        return "big"
    return "big" if data[position + LENGTH_START] <= data[position + LENGTH_START + 3] else "little"


def read_v1(data: bytes, position: int, order: ByteOrder, event_index: int) -> Event:
    """Read the event of version 1 that starts at `position` (docs/formats/databus_binary.md).

    Args:
        data: a stream of n bytes.
        position: where the event starts; its version byte is known to be 0.
        order: the byte order to read in; an event does not contain it, but the header CRC is wrong in the other one.
        event_index: counts the events of the stream.

    Raises:
        EventError: `databus_truncated`, `databus_header_crc`, `databus_invalid_length`, `databus_value_crc`,
            `databus_key_size`.
    """
    left = len(data) - position
    if left < BYTE_KEY_HEADER:
        raise truncated(BYTE_KEY_HEADER, left)
    header = _HEADERS[order].unpack_from(data, position)
    _, header_crc, length, attributes, sequence, physical, logical, nanos, source_id, schema_id, value_crc = header
    has_byte_key = attributes & BYTE_KEY
    header_length = BYTE_KEY_HEADER if has_byte_key else LONG_KEY_HEADER
    if left < header_length:
        raise truncated(header_length, left)
    body = position + header_length
    if databus_crc(data[position + CRC_START : body]) != header_crc:
        raise EventError("databus_header_crc", "the header checksum fits in neither byte order", HEADER_WRONG)
    if length < header_length:
        raise EventError("databus_invalid_length", f"length {length}, header {header_length}", HEADER_RIGHT)
    if length > left:
        raise truncated(length, left, HEADER_RIGHT)
    value = data[body : position + length]
    if databus_crc(value) != value_crc:
        raise EventError("databus_value_crc", f"in {len(value)} bytes after the header", LENGTHS_FIT)
    if has_byte_key:
        key_size = _INTS[order].unpack_from(data, position + KEY_START)[0]
        if not 0 <= key_size <= len(value):
            raise EventError("databus_key_size", f"key size {key_size} of {len(value)} bytes", LENGTHS_FIT, length)
        message_key = text_key(value[:key_size])
        value = value[key_size:]
    else:
        message_key = f'{{"key":{_LONGS[order].unpack_from(data, position + KEY_START)[0]}}}'
    fields = (
        event_index,
        0,
        VERSION_BYTE,
        order,
        "UPSERT" if attributes & UPSERT else "DELETE" if attributes & DELETE else None,
        "bytes" if has_byte_key else "long",
        message_key,
        sequence,
        physical,
        logical,
        nanos,
        source_id,
        None if schema_id == NO_SCHEMA_ID else schema_id.hex(),
        None,
        value,
        attributes & REPLICATED != 0,
        attributes & TRACE != 0,
        position,
        length,
        None,
        None,
    )
    return Event._make(fields)  # quicker than Event(..)
