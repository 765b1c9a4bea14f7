"""Values that are too large to be parsed: no pyspark, no Arrow."""

from watershed_udfs.errors import PayloadError

MAX_VALUE_BYTES = 32 * 1024 * 1024
"""No longer value is opened: what it holds can take thirty times as much in memory (docs/limits.md)."""

MARK = b"\xffvalue_too_large:"
"""Staging replaces a longer value by this and the size (macros/event/landed_messages.sql). It is neither UTF-8 nor a
Databus event, so no readable value starts with it."""


def check_size(value: bytes) -> None:
    """Reject a value that is too large, or the marker of one.

    Raises:
        PayloadError: `value_too_large`, with the size.
    """
    size = str(len(value))
    if value.startswith(MARK):
        size = value[len(MARK) :].decode(errors="replace")
        if not (size.isascii() and size.isdecimal() and len(size) <= 10):
            return
    elif len(value) <= MAX_VALUE_BYTES:
        return
    raise PayloadError("value_too_large", f"{size} bytes; no more than {MAX_VALUE_BYTES} are opened")
