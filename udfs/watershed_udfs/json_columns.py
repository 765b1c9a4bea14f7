"""JSON of row images: canonical text, and columns as text. No pyspark, no Arrow."""

import msgspec

_CANONICAL = msgspec.json.Encoder(order="sorted")
_COLUMNS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_STRING = msgspec.json.Decoder(str)
_QUOTE = ord('"')


def canonical_text(value: object) -> str:
    """Write a JSON value as open_json does: names sorted by code point, no spaces, least escapes.

    Args:
        value: dict, list, str, bool, None, int, or the literal of a number as `msgspec.Raw`, which stays as it is.
    """
    return _CANONICAL.encode(value).decode()


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
