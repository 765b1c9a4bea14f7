"""A file with one JSON array, split into the unchanged texts of its elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

WHITE_SPACE = b" \t\r\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PIECE_BYTES = 1 << 20
# A complete text, the quote of a text that continues beyond the buffer, or a structural character of JSON.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
_CLOSED_BY = {b"[": b"]", b"{": b"}"}


class ArrayError(Exception):
    """The file is not a JSON array; the text contains element, byte and finding."""


def cut_array(read: Callable[[int], bytes], most: int) -> Iterator[bytes]:
    """Yield the elements of a JSON array, byte for byte, without white space around them.

    Only the structure is checked: brackets, commas and the ends of texts. Memory is bounded by the largest element.

    Args:
        read: Returns at most this many of the next bytes, none at the end.
        most: The maximum size of an element, in bytes.

    Raises: ArrayError: the bytes are not an array, or an element is too large.
    """
    return _Cutter(read, most).cut()


class _Cutter:
    def __init__(self, read: Callable[[int], bytes], most: int) -> None:
        self._read, self._most = read, most
        self._buffer = b""
        self._base = 0  # the position of the buffer in the content
        self._start = 0  # of the element, in the buffer
        self._open: list[bytes] = []
        self._closed_at: int | None = None  # the end of an object or array that is the element
        self.count = 0

    def cut(self) -> Iterator[bytes]:
        scanned = self._enter()
        while self._open:
            for token in _TOKEN.finditer(self._buffer, scanned):
                text, scanned = token[0], token.end()
                if text == b'"':
                    scanned = token.start()
                    break
                if text in _CLOSED_BY:
                    self._push(text, token.start())
                elif text in _CLOSED_BY.values():
                    self._pop(text, token)
                    if not self._open:
                        yield from self._element(token.start(), is_last=True)
                        break
                elif text == b"," and len(self._open) == 1:
                    yield from self._element(token.start(), is_last=False)
                    self._start = token.end()
            else:
                scanned = len(self._buffer)
            if self._open:
                scanned -= self._start
                self._fill()
        self._check_end(scanned)

    def _enter(self) -> int:
        """Read to the opening bracket of the array; return the start of its first element."""
        while not (found := self._buffer.removeprefix(BYTE_ORDER_MARK).lstrip(WHITE_SPACE)):
            if not (more := self._read(_PIECE_BYTES)):
                raise ArrayError("is not a JSON array: it is empty")
            self._buffer += more
        self._start = len(self._buffer) - len(found)
        if found[:1] != b"[":
            raise self._error("expected [, the start of a JSON array", self._start)
        self._start += 1
        self._open.append(b"[")
        return self._start

    def _fill(self) -> None:
        """Read more; the pieces of a long element grow, so that it is scanned only a few times."""
        rest = self._buffer[self._start :]
        if len(rest) > self._most:
            raise self._error(f"the element has more than {self._most:,} bytes", self._start)
        more = self._read(max(_PIECE_BYTES, len(rest)))
        if not more:
            raise self._error("the array has no end", len(self._buffer))
        if self._closed_at is not None:
            self._closed_at -= self._start
        self._base += self._start
        self._buffer, self._start = rest + more, 0

    def _push(self, bracket: bytes, place: int) -> None:
        if len(self._open) == 1 and self._buffer[self._start : place].strip(WHITE_SPACE):
            raise self._error("expected a comma", place)
        self._open.append(bracket)

    def _pop(self, bracket: bytes, token: re.Match[bytes]) -> None:
        opened = self._open.pop()
        if _CLOSED_BY[opened] != bracket:
            raise self._error(f"expected {_CLOSED_BY[opened].decode()}, found {bracket.decode()}", token.start())
        if len(self._open) == 1:
            self._closed_at = token.end()

    def _element(self, end: int, is_last: bool) -> Iterator[bytes]:
        if self._closed_at is not None and self._buffer[self._closed_at : end].strip(WHITE_SPACE):
            raise self._error("expected a comma", self._closed_at)
        self._closed_at = None
        element = self._buffer[self._start : end].strip(WHITE_SPACE)
        if len(element) > self._most:
            raise self._error(f"the element has more than {self._most:,} bytes", self._start)
        if element:
            yield element
            self.count += 1
        elif self.count or not is_last:
            raise self._error("expected a value", end)

    def _check_end(self, scanned: int) -> None:
        rest = self._buffer[scanned:]
        while not rest.strip(WHITE_SPACE):
            self._base, self._buffer, scanned = self._base + len(self._buffer), self._read(_PIECE_BYTES), 0
            rest = self._buffer
            if not rest:
                return
        raise self._error("expected nothing after the array", scanned + len(rest) - len(rest.lstrip(WHITE_SPACE)))

    def _error(self, problem: str, place: int) -> ArrayError:
        return ArrayError(f"element {self.count}, byte {self._base + place:,}: {problem}")
