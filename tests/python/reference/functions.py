"""Functions on texts, as Java has them in `JsonFunctions.java`; `images.py`, `json_columns.py` have the others."""

from collections.abc import Sequence

import msgspec
from watershed_udfs.images import image_of, read_image

_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = msgspec.json.Decoder(str)
_NULL = msgspec.Raw(b"null")


def drop_columns(row_image: str | bytes | None, names: Sequence[str | None] | None) -> str | None:
    """Leave columns out of a row image (source: docs/formats/oms_default.md, unchanged LOBs).

    Args:
        row_image: canonical JSON object text, as `open_json` writes it.
        names: columns to leave out; null names and names that are not in the image are no matter.

    Returns:
        The canonical JSON object of the other columns; the image as it is without names. Null without an image and for
        text that is no JSON object.
    """
    columns = read_image(row_image)
    dropped = set(names or ())
    return None if columns is None else image_of({name: raw for name, raw in columns.items() if name not in dropped})


def null_columns(before_image: str | bytes | None, after_image: str | bytes | None) -> list[str] | None:
    """Name the columns that are null in both images of an update (source: docs/formats/oms_default.md, unchanged LOBs).

    Args:
        before_image: canonical JSON object text, as `open_json` writes it.
        after_image: likewise.

    Returns:
        The names of columns that are JSON null in both (not missing in one), sorted by code point. Null when an image
        is null or no JSON object.
    """
    before, after = read_image(before_image), read_image(after_image)
    if before is None or after is None:
        return None
    return sorted(name for name, raw in after.items() if raw == _NULL and before.get(name) == _NULL)


def missing_columns(known_columns: str | bytes | None, row_image: str | bytes | None) -> str | None:
    """Name the known columns that a row image lacks (source: docs/formats/datahub_blob.md, partial images).

    A format with full rows should not omit any; if it does, the column did not change.

    Args:
        known_columns: JSON object text whose names are the known columns.
        row_image: canonical JSON object text, as `open_json` writes it.

    Returns:
        A JSON array of names, in the order of the known columns. Null if none is missing, and when one of the texts is
        null or no JSON object.
    """
    known, image = read_image(known_columns), read_image(row_image)
    missing = [name for name in known or () if image is not None and name not in image]
    return msgspec.json.encode(missing).decode() if missing else None


def list_items(array_text: str | bytes | None) -> list[str] | None:
    """Take the items of a JSON array as text (source: docs/formats/oms_canal.md, many rows in one message).

    Args:
        array_text: canonical JSON array text, as `open_json` writes it.

    Returns:
        One canonical JSON text per item, in order: strings keep their quotes, numbers their literal, JSON null is the
        text null. Null for null and for text that is no JSON array.
    """
    if array_text is None:
        return None
    try:
        return [bytes(raw).decode() for raw in _ITEMS.decode(array_text)]
    except (ValueError, RecursionError):
        return None


def list_texts(array_text: str | bytes | None) -> list[str | None] | None:
    """Take the items of a JSON array as column texts, most often the names in an array of strings.

    Args:
        array_text: canonical JSON array text, as `open_json` writes it.

    Returns:
        One text per item, in order: strings decoded, JSON null as None, all else as JSON text. Null for null and for
        text that is no JSON array.
    """
    items = list_items(array_text)
    if items is None:
        return None
    try:
        return [None if item == "null" else _STRING.decode(item) if item[0] == '"' else item for item in items]
    except ValueError:
        return None


MAX_MILLIS = 253_402_300_799_999
"""The last millisecond of the year 9999."""


def text_map(names: list[str], texts: list[str | None]) -> dict[str, str]:
    """Give n names with their texts; a name whose text is null is left out. The reference for `textMap`."""
    return {name: text for name, text in zip(names, texts, strict=True) if text is not None}


def millis_timestamp(millis: str) -> int | None:
    """Give the microseconds of a text of 1 to 15 digits of milliseconds; None for any other text and beyond 9999."""
    is_number = millis.isascii() and millis.isdecimal() and len(millis) <= 15
    return 1000 * int(millis) if is_number and int(millis) <= MAX_MILLIS else None
