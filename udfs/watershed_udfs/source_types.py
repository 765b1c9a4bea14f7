"""How the types of a column at its source compare, by the values that each holds: no pyspark, no Arrow."""

import re
from collections.abc import Sequence
from math import log10
from typing import NamedTuple

_BITS = {"tinyint": 8, "int8": 8, "smallint": 16, "int16": 16, "mediumint": 24, "int": 32, "integer": 32, "int32": 32}
_BITS |= {"bigint": 64, "int64": 64, "long": 64}
_FLOAT_BITS = {"float": 24, "float32": 24, "double": 53, "float64": 53}
_DECIMALS = ("decimal", "numeric", "number")
# The length of a type is fixed, or, if it is null here, in parentheses after the name.
_TEXTS = dict.fromkeys(("char", "varchar", "varchar2", "nvarchar", "nvarchar2")) | {"tinytext": 255, "text": 65_535}
_TEXTS |= {"mediumtext": 16_777_215} | dict.fromkeys(("longtext", "clob", "nclob", "string"), 4_294_967_295)
_BYTES = dict.fromkeys(("binary", "varbinary")) | {"tinyblob": 255, "blob": 65_535, "mediumblob": 16_777_215}
_BYTES |= {"longblob": 4_294_967_295, "bytes": 4_294_967_295}
_AVRO_NUMBERS = ("int", "long", "float", "double")


class Range(NamedTuple):
    """The values of a type. A larger size holds more, and ranges of two families share no values."""

    family: str
    """Of a type that is not compared, the type itself."""
    sizes: tuple[float, ...] = ()
    """Numbers: digits of negative values, of positive values, after the point, and binary ones; others: one length."""
    labels: str = ""


def type_range(source_type: str) -> Range:
    """Read the range of a type in the spelling of its source (docs/formats/values.md; 2^31 has 9.33 digits)."""
    spelled = source_type.strip(" ").lower()
    words = re.sub(r"\(.*\)", "", spelled, flags=re.DOTALL)
    name = words.replace(" unsigned", "").replace(" zerofill", "").strip(" ")
    sign = 0 if " unsigned" in words else 1
    found = re.search(r"\( *([0-9]{1,10})(?: *, *(-?[0-9]{1,10}))?", spelled)
    size, scale = (int(found[1]), int(found[2] or 0)) if found else (None, 0)
    if name in _BITS:
        return Range("number", ((_BITS[name] - 1) * sign * log10(2), (_BITS[name] - sign) * log10(2), 0, 0))
    if name in _FLOAT_BITS:
        return Range("number", (_FLOAT_BITS[name] * log10(2), _FLOAT_BITS[name] * log10(2), 0, _FLOAT_BITS[name]))
    if name in ("time", "datetime", "timestamp", "bit"):
        return Range(name, (size or 0,))
    if name in ("enum", "set"):
        return Range(name, labels=source_type.partition("(")[2].rpartition(")")[0])
    for family, lengths in (("text", _TEXTS), ("bytes", _BYTES)):
        length = lengths.get(name) or size
        if name in lengths and length is not None:
            return Range(family, (length,))
    if name in _DECIMALS and size is not None:
        return Range("number", ((size - scale) * sign, size - scale, scale, 0))
    if name == "bytes org.apache.kafka.connect.data.decimal" and size is not None:
        # The value is sent without its point, so one column cannot hold values of two scales.
        return Range(f"{name} of scale {scale}", (size,))
    return Range(name if name == "year" else spelled)


def type_change(before: str | None, after: str | None) -> str | None:
    """Compare a type with the one after it.

    Returns:
        `widened` if the new type holds every value of the old one, `narrowed` for the opposite, else `conflicting`,
        also for a known and an unknown (null) type; null for two spellings of one type.
    """
    if before is None or after is None:
        return None if before == after else "conflicting"
    old, new = type_range(before), type_range(after)
    if old == new:
        return None
    return "widened" if _holds(new, old) else "narrowed" if _holds(old, new) else "conflicting"


def _holds(one: Range, other: Range) -> bool:
    return (
        # `number` without digits is not comparable to `number(9,2)`.
        (one.family, len(one.sizes)) == (other.family, len(other.sizes))
        and all(size >= least for size, least in zip(one.sizes, other.sizes, strict=True))
        and f"{one.labels},".startswith(f"{other.labels},")
    )


def widest_type(
    types: Sequence[str | None], reader_type: str | None
) -> tuple[str | None, list[tuple[str, str | None]]]:
    """Find the widest of n types of a column, and the types that do not fit into it, each after its change.

    Types are compared in the order of their appearance. The type of the newest Avro schema, if it reads all of them, is
    the result even if another is wider (source: Apache Avro Specification, "Schema Resolution").
    """
    promoted = _AVRO_NUMBERS[: _AVRO_NUMBERS.index(reader_type)] if reader_type in _AVRO_NUMBERS else ()
    if {reader_type, *promoted}.issuperset(types):
        return reader_type, []
    widest, refused = types[0], []
    for one in types:
        change = type_change(widest, one)
        if change == "widened":
            widest = one
        elif change is not None:
            refused.append((change, one))
    return widest, refused
