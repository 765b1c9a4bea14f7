"""JSON as RFC 8259 says it, number literals kept: a writer, an exact reader, and two fast ones that agree with it.

Values are dict, list, str, bool, None, int (of any size) and, for every other number, an object whose `bytes()` are the
literal as sent. Only -0 is read as 0. The fast readers may refuse what the exact one takes, never the other way round:

- `read_plain` (3 to 4 us for 630 bytes) takes only what the writer itself would write for the value read;
- `read_fast` (some 5 us) is jiter, which knows duplicates, white space and all escapes, but not every length and depth;
- `read_exact` (some 50 us) decides all that is left, and what is wrong with it.
"""

import contextlib
import json
import re
from typing import Any

import jiter
import msgspec

from watershed_udfs.errors import PayloadError

MAX_DEPTH = 500
"""Objects and arrays inside each other; more is `malformed_json`. Beyond jiter (200 or so) the exact reader decides."""

MAX_INT_CHARACTERS = 4000
"""Longer integers stay literals: Python refuses to print an int of more than 4,300 digits."""

_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

SCALARS = frozenset((int, bool, msgspec.Raw, jiter.LosslessFloat))
"""The types of numbers, true and false."""


def _raw_literal(number: object) -> msgspec.Raw:
    if isinstance(number, jiter.LosslessFloat):
        return msgspec.Raw(bytes(number))
    raise TypeError(f"not a JSON value: {type(number).__name__}")


_PLAIN_DECODER = msgspec.json.Decoder(float_hook=msgspec.Raw)
_PLAIN_ENCODER = msgspec.json.Encoder()
_ENCODER = msgspec.json.Encoder(order="sorted", enc_hook=_raw_literal)
_ORDER_KEEPING_ENCODER = msgspec.json.Encoder(enc_hook=_raw_literal)


def canonical_text(value: object) -> str:
    """Write a value that was read here: names sorted by code point, no spaces, least escapes, numbers as sent."""
    return _ENCODER.encode(value).decode()


def text_in_order_sent(value: object) -> str:
    """Write a value as `canonical_text` does, but with the members of its objects in the order in which they came."""
    return _ORDER_KEEPING_ENCODER.encode(value).decode()


def kind_of(value: object) -> str:
    """Name the JSON kind of a value that was read here: object, array, string, boolean, null or number."""
    kinds: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(value), "number")


def read_json(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON of n bytes by the first reader that can.

    Raises:
        PayloadError: as `read_exact`.
    """
    try:  # suppress() would cost a tenth
        return read_plain(text)
    except (ValueError, RecursionError):
        pass
    with contextlib.suppress(ValueError, RecursionError):
        return read_fast(text)
    return read_exact(text)


def read_plain(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON of n bytes that is written plainly: no white space, least escapes (any order of members).

    The value is written again and must give the same bytes. That proves the text right whatever msgspec lets pass (it
    takes duplicate members): a writer writes strict JSON, and each member once.

    Raises:
        ValueError: the text is written otherwise, or is no JSON at all.
    """
    if len(text) > 2 * MAX_DEPTH and text.count(b"{") + text.count(b"[") > MAX_DEPTH:  # msgspec knows no such limit
        raise ValueError("may be nested too deep")
    value = _PLAIN_DECODER.decode(text)
    if _PLAIN_ENCODER.encode(value) != text:
        raise ValueError("not written plainly")
    return value


def read_fast(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON of n bytes with jiter; it refuses all that `read_exact` refuses, and some that it cannot hold.

    Raises:
        ValueError: not RFC 8259, a duplicate member, nesting or an integer beyond jiter's limits: ask `read_exact`.
    """
    return jiter.from_json(text, allow_inf_nan=False, catch_duplicate_keys=True, float_mode="lossless-float")


def read_exact(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON of n bytes exactly, and say why it cannot be read (source: RFC 8259; the reference for `read_fast`).

    Raises:
        PayloadError: `invalid_utf8`, `malformed_json` or `duplicate_member`, the first of them that holds.
    """
    try:
        characters = text.decode()
    except UnicodeDecodeError as error:
        raise PayloadError("invalid_utf8", f"byte {error.start} of {len(text)}: {error.reason}") from None
    _check_depth(characters)
    repeated: list[int] = []

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            repeated.append(len(pairs) - len(members))
        return members

    decoder = json.JSONDecoder(
        object_pairs_hook=as_object, parse_int=_read_integer, parse_float=msgspec.Raw, parse_constant=_refuse_constant
    )
    try:
        value = decoder.decode(characters)
    except json.JSONDecodeError as error:
        reason = error.msg.partition(": ")[0]  # what stands behind it may quote the payload
        raise PayloadError("malformed_json", f"character {error.pos} of {len(characters)}: {reason}") from None
    except RecursionError:
        raise PayloadError("malformed_json", f"nested deeper than {MAX_DEPTH}") from None
    if _has_lone_surrogate(value):
        raise PayloadError("malformed_json", "an escape stands for half a surrogate pair")
    if repeated:
        raise PayloadError("duplicate_member", f"{sum(repeated)} member(s) repeated in {len(repeated)} object(s)")
    return value


def _read_integer(text: str) -> int | msgspec.Raw:
    return int(text) if len(text) <= MAX_INT_CHARACTERS else msgspec.Raw(text)


def _refuse_constant(name: str) -> None:
    raise PayloadError("malformed_json", f"{name} is no JSON number")


def _check_depth(characters: str) -> None:
    depth = 0
    for match in _BRACKETS.finditer(characters):
        first = match[0][0]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise PayloadError("malformed_json", f"nested deeper than {MAX_DEPTH}")
        elif first in "]}":
            depth -= 1


def _has_lone_surrogate(value: object) -> bool:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if _LONE_SURROGATE.search(one):
                return True
        elif isinstance(one, dict):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False
