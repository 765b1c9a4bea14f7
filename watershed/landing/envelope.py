"""The envelope: one JSON object per line with a Kafka message and its coordinates."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

import jiter
import msgspec
from watershed_udfs.base64_text import decode_base64
from watershed_udfs.errors import PayloadError

MAX_VALUE_BYTES = 256 * 1024 * 1024
"""A longer value is refused: reading it takes a server five times its size (docs/limits.md)."""

_MAX_MILLIS = 253_402_300_799_999  # the end of year 9999
_MAX_REASON_CHARACTERS = 120


class Message(NamedTuple):
    """One message with its coordinates; text is encoded as UTF-8."""

    topic: str
    partition: int
    offset: int
    key: bytes | str | None
    value: bytes | str | None
    sent_millis: int | None


class Envelope(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The members of an envelope line; UNSET for missing ones."""

    topic: str
    partition: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    offset: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    timestamp_ms: Annotated[int, msgspec.Meta(ge=-1, le=_MAX_MILLIS)] | None = None
    key: str | msgspec.UnsetType | None = msgspec.UNSET
    key_base64: str | msgspec.UnsetType | None = msgspec.UNSET
    value: str | msgspec.UnsetType | None = msgspec.UNSET
    value_base64: str | msgspec.UnsetType | None = msgspec.UNSET


_decoder = msgspec.json.Decoder(Envelope)


def check_line(line: bytes) -> None:
    """Check an envelope line strictly (RFC 8259, no duplicate or unknown member, strict Base64).

    Raises: ValueError: the problem of the line, without its content.
    """
    try:
        _check_line(line)
    except ValueError as error:
        raise ValueError(_one_line(str(error))) from None


def _check_line(line: bytes) -> None:
    if not line.strip():
        raise ValueError("the line is blank")
    try:
        members = jiter.from_json(line, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        reason = re.sub(r" at line 1 column (\d+)$", r" at column \1", str(error))
        raise ValueError(f"not JSON: {reason}") from None
    try:
        envelope = msgspec.convert(members, Envelope, strict=True)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace(" - at `$.", " - at member `")) from None
    if (envelope.value is msgspec.UNSET) == (envelope.value_base64 is msgspec.UNSET):
        raise ValueError("exactly one of the members value and value_base64 is needed")
    if envelope.key is not msgspec.UNSET and envelope.key_base64 is not msgspec.UNSET:
        raise ValueError("the members key and key_base64 exclude each other")
    message = _message(envelope)
    for member, content in (("value", message.value), ("key", message.key)):
        size = len(content.encode() if isinstance(content, str) else content or b"")
        if size > MAX_VALUE_BYTES:
            raise ValueError(f"the {member} has {size:,} bytes; it may have {MAX_VALUE_BYTES:,}")


def read_line(line: bytes) -> Message:
    """Parse an envelope line that `check_line` has accepted (only that function checks for duplicate members)."""
    return _message(_decoder.decode(line))


def _message(envelope: Envelope) -> Message:
    key = envelope.key
    if key is msgspec.UNSET:
        key_bytes = _decode_base64("key_base64", envelope.key_base64)
    value = envelope.value
    if value is msgspec.UNSET:
        value_bytes = _decode_base64("value_base64", envelope.value_base64)
    return Message(
        envelope.topic,
        envelope.partition,
        envelope.offset,
        key_bytes if key is msgspec.UNSET else key,
        value_bytes if value is msgspec.UNSET else value,
        # Kafka sends -1 if a message has no time.
        None if envelope.timestamp_ms == -1 else envelope.timestamp_ms,
    )


def _decode_base64(member: str, text: str | msgspec.UnsetType | None) -> bytes | None:
    if text is None or isinstance(text, msgspec.UnsetType):
        return None
    try:
        return decode_base64(text)
    except PayloadError as error:
        raise ValueError(f"member {member} is not Base64: {error.detail}") from None


def _one_line(reason: str) -> str:
    """Quote a name from a message: escapes line breaks and terminal controls, and limits its length."""
    quoted = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in reason[:_MAX_REASON_CHARACTERS])
    return quoted + ("..." if len(reason) > _MAX_REASON_CHARACTERS else "")
