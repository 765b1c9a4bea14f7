"""The columns of a row image as text: no pyspark, no Arrow."""

import msgspec

_COLUMNS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_STRING = msgspec.json.Decoder(str)
_QUOTE = ord('"')


def read_columns(row_image: str | bytes | None) -> dict[str, str | None] | None:
    """Read a row image into column texts (for typed snapshots; source: docs/formats/values.md).

    Args:
        row_image: canonical JSON object text of n columns, as `open_json` writes it.

    Returns:
        n texts by column: strings decoded, numbers as their literal, true or false, objects and arrays as JSON text,
        JSON null as None. None without an image or for text that is no JSON object. Of a member given twice the last
        counts.
    """
    if row_image is None:
        return None
    try:
        return {name: _column_text(bytes(raw)) for name, raw in _COLUMNS.decode(row_image).items()}
    except (ValueError, RecursionError):
        return None


def _column_text(raw: bytes) -> str | None:
    if raw[0] == _QUOTE:
        return _STRING.decode(raw)
    return None if raw == b"null" else raw.decode()


MAX_MILLIS = 253_402_300_799_999
"""The last millisecond of the year 9999."""


def text_map(names: list[str], texts: list[str | None]) -> dict[str, str]:
    """Give n names with their texts; a name whose text is null is left out. The reference for `textMap`."""
    return {name: text for name, text in zip(names, texts, strict=True) if text is not None}


def millis_timestamp(millis: str) -> int | None:
    """Give the microseconds of a text of 1 to 15 digits of milliseconds; None for any other text and beyond 9999."""
    is_number = millis.isascii() and millis.isdecimal() and len(millis) <= 15
    return 1000 * int(millis) if is_number and int(millis) <= MAX_MILLIS else None
