"""The key of a row as canonical JSON: no pyspark, no Arrow."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from watershed_udfs.remembered import remembered
from watershed_udfs.strict_json import canonical_text

MAX_ADDED_ZEROS = 400
"""A number that needs more zeros than this to be written without an exponent keeps one."""

MAX_EXPONENT_DIGITS = 4000
"""Python reads no integer of more than 4,300 digits; a number with a longer exponent stays as sent."""

_NUMBER = re.compile(rb"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
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


def canonical_number(literal: bytes) -> bytes:
    """Write a JSON number of n bytes so that equal numbers have equal text, at any length and without rounding.

    1.10 gives 1.1; 1e2 gives 100; -0 gives 0; 1e1000 gives 1E+1000 (no more than `MAX_ADDED_ZEROS` are written out).
    Text that is no JSON number comes back as it is.
    """
    if len(literal) <= MAX_ADDED_ZEROS and literal.isdigit():
        return literal
    match = _NUMBER.fullmatch(literal)
    if match is None or len(match[4] or b"") > MAX_EXPONENT_DIGITS:
        return literal
    sign, whole, fraction = match[1], match[2], match[3] or b""
    digits = (whole + fraction).lstrip(b"0")
    significant = digits.rstrip(b"0")
    if not significant:
        return b"0"
    exponent = int(match[4] or 0) - len(fraction) + len(digits) - len(significant)
    point = len(significant) + exponent  # the number is 0.<significant> * 10 ** point
    if exponent > MAX_ADDED_ZEROS or -point > MAX_ADDED_ZEROS:
        mantissa = significant[:1] + (b"." + significant[1:] if len(significant) > 1 else b"")
        return b"%b%bE%+d" % (sign, mantissa, point - 1)
    if exponent >= 0:
        return sign + significant + b"0" * exponent
    if point > 0:
        return sign + significant[:point] + b"." + significant[point:]
    return sign + b"0." + b"0" * -point + significant


@remembered(
    most_bytes=4_000_000, most_bytes_of_one=100_000, size_of=lambda names: sum(map(len, names)) + 50 * len(names)
)
def name_parts(names: tuple[str | None, ...]) -> tuple[tuple[str, bytes], ...]:
    """Sort the names by code point and write each as JSON with its colon; a null name is in no image (KeyError)."""
    if None in names:
        raise KeyError
    given = sorted({name for name in names if name is not None})
    return tuple((name, msgspec.json.encode(name) + b":") for name in given)
