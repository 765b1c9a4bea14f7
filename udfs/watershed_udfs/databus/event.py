"""One Databus event, and the error of one that cannot be read: no pyspark, no Arrow."""

import binascii
from typing import Literal, NamedTuple

import msgspec

from watershed_udfs.errors import PayloadError, ReasonCode

ByteOrder = Literal["big", "little"]

NO_SCHEMA_ID = bytes(16)


class Event(NamedTuple):
    """One event of a stream, or an unreadable one (everything except the indexes and the error is null)."""

    event_index: int
    """Counts the events of the stream from 0."""
    occurrence: int | None = None
    """Number of events with the same content before this one in the stream."""
    version: int | None = None
    byte_order: ByteOrder | None = None
    opcode: Literal["UPSERT", "DELETE"] | None = None
    key_type: Literal["long", "bytes", "string", "schema"] | None = None
    message_key: str | None = None
    """Canonical JSON: `{"key":123}`, `{"key":"text"}`; `{"key_base64":".."}` for a schema key or invalid UTF-8."""
    sequence: int | None = None
    physical_partition: int | None = None
    logical_partition: int | None = None
    timestamp_nanos: int | None = None
    source_id: int | None = None
    schema_id: str | None = None
    """32 hexadecimal digits; null when all are zero."""
    schema_version: int | None = None
    value: bytes | None = None
    is_replicated: bool | None = None
    is_traced: bool | None = None
    byte_offset: int = 0
    byte_length: int = 0
    error_code: str | None = None
    error_detail: str | None = None


class EventError(PayloadError):
    """An event that cannot be read in one byte order."""

    def __init__(self, code: ReasonCode, detail: str, likelihood: int, byte_length: int | None = None) -> None:
        """Keep the criteria of the stream reader.

        Args:
            code: one of `REASON_CODES`.
            detail: sizes and kinds, never payload.
            likelihood: evidence for this byte order, from `HEADER_UNREAD` to `LENGTHS_FIT`.
            byte_length: of an event whose checksums are both right, so that the next one can be located.
        """
        super().__init__(code, detail)
        self.likelihood = likelihood
        self.byte_length = byte_length


HEADER_UNREAD, HEADER_WRONG, HEADER_RIGHT, LENGTHS_FIT = range(4)
"""The header could not be summed; its sum is wrong; it is right; and the stream contains the whole event."""


def truncated(needed: int, left: int, likelihood: int = HEADER_UNREAD) -> EventError:
    """Give the error of an event that needs more bytes than are left."""
    return EventError("databus_truncated", f"{needed} bytes needed, {left} left", likelihood)


def text_key(key: bytes) -> str:
    """Write a key of n bytes as canonical JSON: as text if it is UTF-8, else as Base64."""
    try:
        return f'{{"key":{msgspec.json.encode(key.decode()).decode()}}}'
    except UnicodeDecodeError:
        return base64_key(key)


def base64_key(key: bytes) -> str:
    """Write a key of n bytes as canonical JSON, as Base64."""
    return f'{{"key_base64":"{binascii.b2a_base64(key, newline=False).decode()}"}}'
