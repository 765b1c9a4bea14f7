"""The reference for `JsonReader.java`: strict JSON (RFC 8259), number literals kept.

Values are dict, list, str, bool, None, int (of any size) and, for every other number, a `msgspec.Raw` of the literal as
sent. Only -0 is read as 0.
"""

import re
from typing import Any

import msgspec
from watershed_udfs.errors import PayloadError

MAX_DEPTH = 500
"""Objects and arrays inside each other; more is `malformed_json`."""

MAX_INT_CHARACTERS = 4000
"""Longer integers stay literals: Python refuses to print an int of more than 4,300 digits."""


_SPACES = re.compile(rb"[ \t\n\r]*+")
_DIGITS = re.compile(rb"[0-9]*+")
_CHARACTERS = re.compile(rb'[^"\\\x00-\x1f]*+')
_UNIT = re.compile(rb"\\u([0-9A-Fa-f]{4})")
_ESCAPES = {b'"': '"', b"\\": "\\", b"/": "/", b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}
_WORDS: dict[bytes, bool | None] = {b"true": True, b"false": False, b"null": None}
_CLOSING = {b"{": b"}", b"[": b"]"}


def kind_of(value: object) -> str:
    """Name the JSON kind of a value that was read here: object, array, string, boolean, null or number."""
    kinds: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(value), "number")


def read_json(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON of n bytes, or report the reason why it cannot be read.

    Raises:
        PayloadError: `invalid_utf8`, `malformed_json` or `duplicate_member`, the first of them that holds, with the
            position in bytes.
    """
    try:
        text.decode()
    except UnicodeDecodeError as error:
        raise PayloadError("invalid_utf8", f"byte {error.start} of {len(text)}") from None
    reader = _Reader(text)
    value = reader.read()
    if reader.repeated:
        detail = f"{sum(reader.repeated)} member(s) repeated in {len(reader.repeated)} object(s)"
        raise PayloadError("duplicate_member", detail)
    return value


class _Container:
    """An object or array whose end has not been read."""

    def __init__(self, is_object: bool, closing: bytes) -> None:
        self.is_object = is_object
        self.closing = closing
        self.names: list[str] = []
        self.values: list[Any] = []


class _Reader:
    """Reads one text. It does not call itself: Python's stack would end before `MAX_DEPTH`."""

    def __init__(self, text: bytes) -> None:
        self.repeated: list[int] = []
        self._text = text
        self._at = 0
        self._open: list[_Container] = []

    def read(self) -> Any:  # noqa: ANN401
        self._skip_spaces()
        while True:
            is_complete, value = self._read_value()
            while is_complete:
                self._skip_spaces()
                if not self._open:
                    if self._at < len(self._text):
                        raise self._malformed(self._at, "more text after the value")
                    return value
                is_complete, value = self._add(value)

    def _read_value(self) -> tuple[bool, Any]:
        """Read a scalar or an empty container; or begin a container, whose first value is then expected."""
        first = self._peek()
        if first in (b"{", b"["):
            return self._begin(first)
        if first == b'"':
            return True, self._read_string()
        if first == b"-" or first.isdigit():
            return True, self._read_number()
        for word, value in _WORDS.items():
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return True, value
        raise self._malformed(self._at, "a value expected")

    def _begin(self, first: bytes) -> tuple[bool, Any]:
        if len(self._open) == MAX_DEPTH:
            raise self._malformed(self._at, f"nested deeper than {MAX_DEPTH}")
        self._at += 1
        self._skip_spaces()
        if self._peek() == _CLOSING[first]:
            self._at += 1
            return True, {} if first == b"{" else []
        self._open.append(_Container(first == b"{", _CLOSING[first]))
        self._read_name()
        return False, None

    def _add(self, value: object) -> tuple[bool, Any]:
        """Add a value to the innermost container; return the container if it ends here."""
        container = self._open[-1]
        container.values.append(value)
        found = self._peek()
        if found not in (b",", container.closing) or not found:
            raise self._malformed(self._at, "a comma or an end expected")
        self._at += 1
        if found == b",":
            self._skip_spaces()
            self._read_name()
            return False, None
        self._open.pop()
        if not container.is_object:
            return True, container.values
        members = dict(zip(container.names, container.values, strict=True))
        if len(members) < len(container.names):
            self.repeated.append(len(container.names) - len(members))
        return True, members

    def _read_name(self) -> None:
        container = self._open[-1]
        if not container.is_object:
            return
        if self._peek() != b'"':
            raise self._malformed(self._at, "a name expected")
        container.names.append(self._read_string())
        self._skip_spaces()
        if self._peek() != b":":
            raise self._malformed(self._at, "a colon expected")
        self._at += 1
        self._skip_spaces()

    def _read_string(self) -> str:
        begin = self._at
        self._at += 1
        parts = []
        while True:
            parts.append(self._take(_CHARACTERS).decode())
            found = self._peek()
            if found == b'"':
                self._at += 1
                return "".join(parts)
            if not found or (found == b"\\" and self._at + 1 == len(self._text)):
                raise self._malformed(begin, "a string without an end")
            if found != b"\\":
                raise self._malformed(self._at, "a control character in a string")
            parts.append(self._read_escape())

    def _read_escape(self) -> str:
        begin, name = self._at, self._text[self._at + 1 : self._at + 2]
        if name != b"u":
            if name not in _ESCAPES:
                raise self._malformed(begin, "no such escape")
            self._at += 2
            return _ESCAPES[name]
        unit = self._read_unit()
        if unit is None:
            raise self._malformed(begin, "four hexadecimal digits expected")
        if not 0xD800 <= unit < 0xE000:
            return chr(unit)
        low = self._read_unit() if unit < 0xDC00 else None
        if low is None or not 0xDC00 <= low < 0xE000:
            raise self._malformed(begin, "an escape of half a surrogate pair")
        return chr(0x10000 + ((unit - 0xD800) << 10) + low - 0xDC00)

    def _read_unit(self) -> int | None:
        match = _UNIT.match(self._text, self._at)
        self._at += 6
        return int(match[1], 16) if match else None

    def _read_number(self) -> int | msgspec.Raw:
        begin = self._at
        self._at += self._peek() == b"-"
        if self._peek() == b"0":
            self._at += 1
        else:
            self._read_digits()
        is_integer = True
        if self._peek() == b".":
            self._at += 1
            self._read_digits()
            is_integer = False
        if self._peek() in (b"e", b"E"):
            self._at += 1
            self._at += self._peek() in (b"+", b"-")
            self._read_digits()
            is_integer = False
        literal = self._text[begin : self._at]
        return int(literal) if is_integer and len(literal) <= MAX_INT_CHARACTERS else msgspec.Raw(literal)

    def _read_digits(self) -> None:
        if not self._take(_DIGITS):
            raise self._malformed(self._at, "a digit expected")

    def _take(self, pattern: re.Pattern[bytes]) -> bytes:
        match = pattern.match(self._text, self._at)
        found = match[0] if match else b""
        self._at += len(found)
        return found

    def _skip_spaces(self) -> None:
        self._take(_SPACES)

    def _peek(self) -> bytes:
        return self._text[self._at : self._at + 1]

    def _malformed(self, place: int, problem: str) -> PayloadError:
        return PayloadError("malformed_json", f"byte {place} of {len(self._text)}: {problem}")
