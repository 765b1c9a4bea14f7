"""Avro's primitive types as values of row images: no pyspark, no Arrow."""

import math
import struct
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from watershed_udfs.errors import PayloadError

Reader = Callable[[bytes, int], tuple[Any, int]]
"""Reads one value of a type: the value as `canonical_text` writes it, and the position after it.

After the end of the bytes it raises IndexError or struct.error.
"""

_FLOAT, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")


def wrong(what: str, position: int) -> PayloadError:
    """Describe the data before an unreadable position."""
    return PayloadError("avro_unreadable", f"{what} before byte {position}")


def read_null(data: bytes, position: int) -> tuple[Any, int]:
    """Read nothing."""
    return None, position


def read_boolean(data: bytes, position: int) -> tuple[Any, int]:
    """Read a byte that is 0 or 1."""
    byte = data[position]
    if byte > 1:
        raise wrong("a boolean that is neither 0 nor 1", position + 1)
    return byte == 1, position + 1


def read_long(data: bytes, position: int) -> tuple[int, int]:
    """Read a number of 64 bits in zigzag and seven bits to a byte."""
    byte = data[position]
    position += 1
    if byte < 0x80:  # most are short
        return (byte >> 1) ^ -(byte & 1), position
    number, shift = byte & 0x7F, 7
    while byte >= 0x80:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if shift > 70 or number >> 64:
            raise wrong("a number of more than 64 bits", position)
    return (number >> 1) ^ -(number & 1), position


def read_int(data: bytes, position: int) -> tuple[Any, int]:
    """Read a number of 32 bits, written as a long."""
    number, position = read_long(data, position)
    if not -(2**31) <= number < 2**31:
        raise wrong("an int of more than 32 bits", position)
    return number, position


def read_float(data: bytes, position: int) -> tuple[Any, int]:
    """Read a number of 32 bits."""
    return _number(_FLOAT.unpack_from(data, position)[0], float_text), position + 4


def read_double(data: bytes, position: int) -> tuple[Any, int]:
    """Read a number of 64 bits."""
    return _number(_DOUBLE.unpack_from(data, position)[0], repr), position + 8


def _number(number: float, text_of: Callable[[float], str]) -> msgspec.Raw | str:
    if math.isfinite(number):
        return msgspec.Raw(text_of(number))
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def float_text(number: float) -> str:
    """Write a finite number of 32 bits in the fewest digits that give it back: 0.1, not 0.10000000149011612."""
    return repr(float(str(np.float32(number))))


def read_bytes(data: bytes, position: int) -> tuple[bytes, int]:
    """Read a length and so many bytes."""
    size, position = read_long(data, position)
    end = position + size
    if not position <= end <= len(data):
        raise wrong(f"a length of {size}, {len(data) - position} bytes left", position)
    return data[position:end], end


def read_string(data: bytes, position: int) -> tuple[Any, int]:
    """Read a length and a text of so many bytes."""
    text, end = read_bytes(data, position)
    return text.decode(), end
