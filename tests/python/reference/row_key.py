"""The key of a row as canonical JSON: the reference for `RowKey.java`."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from watershed_udfs.json_columns import canonical_text
from watershed_udfs.row_key import canonical_number, name_parts

_NUMBER_FIRST = frozenset(b"-0123456789")
_COLUMNS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def pick_key(row_image: str | bytes | None, key_columns: Sequence[str | None] | None) -> str | None:
    """Pick the key columns out of a row image (source: ADR 0003).

    Args:
        row_image: canonical JSON object text of n columns, as `open_json` writes it.
        key_columns: names of the key columns, in any order.

    Returns:
        A JSON object of the key columns, sorted by name, without spaces; equal numbers have equal text (1.0, 1 and 1e0
        give 1), strings, objects and arrays are unchanged, JSON null stays null. Null without an image, without key
        columns, when a column is missing, or for text that is no JSON object. Of a member given twice the last counts.
        A column that is missing is found by its name without regard to case; the key has the name given.
    """
    if row_image is None or not key_columns:
        return None
    try:
        columns = _COLUMNS.decode(row_image)
        parts = []
        for name, prefix in name_parts(tuple(key_columns)):
            raw = bytes(columns[name if name in columns else same_name(name, columns)])
            parts.append(prefix + (canonical_number(raw) if raw[0] in _NUMBER_FIRST else raw))
        return (b"{" + b",".join(parts) + b"}").decode()
    except (KeyError, ValueError, RecursionError):
        return None


def key_of_columns(columns: dict[str, Any], key_columns: object) -> str | None:
    """Pick the key columns out of a row image that was read: what `pick_key` gives for its canonical text.

    Args:
        columns: n columns, as `strict_json.read_json` gives an object.
        key_columns: a list of names; null, an empty list or anything else gives null.
    """
    if type(key_columns) is not list or not key_columns:
        return None
    try:
        parts = []
        for name, prefix in name_parts(tuple(key_columns)):
            value = columns[name if name in columns else same_name(name, columns)]
            if type(value) is int:
                parts.append(prefix + canonical_number(b"%d" % value))
            elif type(value) is msgspec.Raw:
                parts.append(prefix + canonical_number(bytes(value)))
            else:
                parts.append(prefix + canonical_text(value).encode())
        return (b"{" + b",".join(parts) + b"}").decode()
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def same_name(name: str, columns: Iterable[str]) -> str:
    """Find the one of n names that is the same without regard to case (source: docs/formats/README.md).

    Raises:
        KeyError: none is, or more than one.
    """
    folded = name.casefold()
    found = [column for column in columns if column.casefold() == folded]
    if len(found) != 1:
        raise KeyError(name)
    return found[0]
