"""Parts of the key of a row as canonical JSON: no pyspark, no Arrow."""

import re

import msgspec

from watershed_udfs.remembered import remembered

MAX_ADDED_ZEROS = 400
"""A number that needs more zeros than this to be written without an exponent keeps one."""

MAX_EXPONENT_DIGITS = 4000
"""Python reads no integer of more than 4,300 digits; a number with a longer exponent stays as sent."""

_NUMBER = re.compile(rb"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


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
