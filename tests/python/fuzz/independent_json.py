"""A second JSON reader, to be compared with: RFC 8259 word by word over bytes, slow, sharing nothing with ours."""

# ruff: noqa: ANN401
from __future__ import annotations

from typing import Any

SPACE = b" \t\n\r"
DIGITS = b"0123456789"
HEX = b"0123456789abcdefABCDEF"
ESCAPES = {b'"': '"', b"\\": "\\", b"/": "/", b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}
WORDS = {b"true": True, b"false": False, b"null": None}


class RefusedError(Exception):
    """The text is not JSON, or has a duplicate name, or is nested too deep."""


class Number(str):
    """The literal of a number."""


class Reader:
    """Reads one text."""

    def __init__(self, text: bytes, max_depth: int) -> None:
        self.text, self.place, self.max_depth = text, 0, max_depth

    def read(self) -> Any:
        try:
            self.text.decode()
        except UnicodeDecodeError:
            raise RefusedError("UTF-8") from None
        value = self.value(0)
        self.space()
        if self.place != len(self.text):
            raise RefusedError("text behind the value")
        return value

    def peek(self) -> bytes:
        return self.text[self.place : self.place + 1]

    def take(self) -> bytes:
        byte = self.peek()
        if not byte:
            raise RefusedError("end")
        self.place += 1
        return byte

    def expect(self, byte: bytes) -> None:
        if self.take() != byte:
            raise RefusedError(f"{byte!r} expected")

    def space(self) -> None:
        while self.peek() and self.peek() in SPACE:
            self.place += 1

    def value(self, depth: int) -> Any:
        self.space()
        byte = self.peek()
        if byte == b"{":
            return self.members(depth + 1)
        if byte == b"[":
            return self.items(depth + 1)
        if byte == b'"':
            return self.string()
        for word, value in WORDS.items():
            if self.text.startswith(word, self.place):
                self.place += len(word)
                return value
        return self.number()

    def members(self, depth: int) -> dict[str, Any]:
        if depth > self.max_depth:
            raise RefusedError("depth")
        self.expect(b"{")
        found: dict[str, Any] = {}
        self.space()
        if self.peek() == b"}":
            self.take()
            return found
        while True:
            self.space()
            name = self.string()
            if name in found:
                raise RefusedError("duplicate")
            self.space()
            self.expect(b":")
            found[name] = self.value(depth)
            self.space()
            byte = self.take()
            if byte == b"}":
                return found
            if byte != b",":
                raise RefusedError("comma expected")

    def items(self, depth: int) -> list[Any]:
        if depth > self.max_depth:
            raise RefusedError("depth")
        self.expect(b"[")
        found: list[Any] = []
        self.space()
        if self.peek() == b"]":
            self.take()
            return found
        while True:
            found.append(self.value(depth))
            self.space()
            byte = self.take()
            if byte == b"]":
                return found
            if byte != b",":
                raise RefusedError("comma expected")

    def string(self) -> str:
        self.expect(b'"')
        units = bytearray()  # UTF-16, in which halves of a pair may come one by one
        while (byte := self.take()) != b'"':
            if byte < b" ":
                raise RefusedError("control character")
            if byte != b"\\":
                start = self.place - 1
                while self.peek() and self.peek()[0] & 0xC0 == 0x80:
                    self.place += 1
                units += self.text[start : self.place].decode().encode("utf-16-le")
            elif (escape := self.take()) == b"u":
                digits = self.text[self.place : self.place + 4]
                if len(digits) < 4 or any(digit not in HEX for digit in digits):
                    raise RefusedError("escape")
                self.place += 4
                units += int(digits, 16).to_bytes(2, "little")
            elif escape in ESCAPES:
                units += ESCAPES[escape].encode("utf-16-le")
            else:
                raise RefusedError("escape")
        try:
            return units.decode("utf-16-le")
        except UnicodeDecodeError:
            raise RefusedError("half a surrogate pair") from None

    def digits(self) -> None:
        start = self.place
        while self.peek() and self.peek() in DIGITS:
            self.place += 1
        if start == self.place:
            raise RefusedError("digit expected")

    def number(self) -> Number:
        start = self.place
        if self.peek() == b"-":
            self.take()
        if self.peek() == b"0":
            self.take()
        else:
            self.digits()
        if self.peek() == b".":
            self.take()
            self.digits()
        if self.peek() in (b"e", b"E"):
            self.take()
            if self.peek() in (b"+", b"-"):
                self.take()
            self.digits()
        return Number(self.text[start : self.place].decode())
