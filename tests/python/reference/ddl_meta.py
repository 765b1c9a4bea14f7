"""The DDL text inside a DataHub Blob's `ddlMeta`: bytes are read with bounds, nothing is deserialized."""

import binascii
import re

from watershed_udfs.base64_text import WHITE_SPACE
from watershed_udfs.errors import PayloadError

STREAM_HEADER = b"\xac\xed\x00\x05"
ROOT_CLASS = "com.alibaba.di.plugin.center.meta.DDLMeta"
DDL_TEXT_FIELD = "ddlText"

MAX_CLASSES = 16
"""Superclasses followed; a DDLMeta has none."""

TC_NULL, TC_REFERENCE, TC_CLASSDESC, TC_OBJECT, TC_STRING = 0x70, 0x71, 0x72, 0x73, 0x74
TC_BLOCKDATA, TC_ENDBLOCKDATA, TC_LONGSTRING = 0x77, 0x78, 0x7C
SC_SERIALIZABLE = 0x02
SC_EXTERNALIZABLE = 0x04
PRIMITIVE_BYTES = {"B": 1, "C": 2, "D": 8, "F": 4, "I": 4, "J": 8, "S": 2, "Z": 1}

_PREFIX = re.compile(rb"([A-Za-z0-9+/]*)(={0,2})")
_FOUR_BYTE_FORM = re.compile(rb"[\xf0-\xff]")


def read_ddl_text(ddl_meta: str | bytes) -> str:
    """Read the statement inside a `ddlMeta` (source: Java Object Serialization Specification, section 6.4).

    Args:
        ddl_meta: Base64 of a Java serialization stream whose root object is a DDLMeta. Published ones are damaged
            after the statement, so the longest readable prefix of whole 4-character groups is taken; white space is
            skipped.

    Returns:
        The root object's `ddlText`.

    Raises:
        PayloadError: `ddl_meta_unreadable`, with the byte position in the decoded stream.
    """
    text = ddl_meta.encode(errors="replace") if isinstance(ddl_meta, str) else ddl_meta
    stream = StreamReader(_decode_prefix(text.translate(None, WHITE_SPACE)))
    if stream.take(len(STREAM_HEADER)) != STREAM_HEADER:
        raise stream.error("not a Java serialization stream of version 5")
    stream.expect(TC_OBJECT, "an object")
    classes = _read_classes(stream)
    if classes[0][0] != ROOT_CLASS:
        raise stream.error("the root object is no DDLMeta")
    for name, fields in reversed(classes):
        for kind, field in sorted(fields, key=lambda one: one[0] in "L["):  # primitive fields come first
            if kind in PRIMITIVE_BYTES:
                stream.take(PRIMITIVE_BYTES[kind])
            elif name == ROOT_CLASS and field == DDL_TEXT_FIELD:
                return stream.string_object("the statement")
            else:
                _skip_simple_object(stream)
    raise stream.error("the DDLMeta has no statement")


class StreamReader:
    """A cursor over n bytes that never leaves them."""

    def __init__(self, data: bytes) -> None:
        """Stand before the first byte."""
        self.data = data
        self.position = 0

    def error(self, what: str) -> PayloadError:
        """Give the error to raise, with the position."""
        return PayloadError("ddl_meta_unreadable", f"{what} (byte {self.position} of {len(self.data)})")

    def take(self, count: int) -> bytes:
        """Take the next `count` bytes; raise a PayloadError if fewer are left."""
        if count > len(self.data) - self.position:
            raise self.error(f"{count} bytes expected, {len(self.data) - self.position} left")
        self.position += count
        return self.data[self.position - count : self.position]

    def number(self, count: int) -> int:
        """Take an unsigned big-endian number of `count` bytes."""
        return int.from_bytes(self.take(count), "big")

    def expect(self, tag: int, what: str) -> None:
        """Take one byte that must be `tag`."""
        found = self.number(1)
        if found != tag:
            raise self.error(f"{what} expected, found tag {found:#04x}")

    def text(self, length_bytes: int) -> str:
        """Take a length of 2 or 8 bytes and that many bytes of modified UTF-8."""
        return self._decode(self.take(self.number(length_bytes)))

    def string_object(self, what: str) -> str:
        """Take a new string object, short or long."""
        tag = self.number(1)
        if tag not in (TC_STRING, TC_LONGSTRING):
            raise self.error(f"{what} expected as a string, found tag {tag:#04x}")
        return self.text(2 if tag == TC_STRING else 8)

    def _decode(self, data: bytes) -> str:
        # modified UTF-8: NUL is C0 80, other planes are two surrogates of three bytes each, no four-byte forms
        if _FOUR_BYTE_FORM.search(data):
            raise self.error("not modified UTF-8")
        try:
            units = data.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
            return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeError:
            raise self.error("not modified UTF-8") from None


def _decode_prefix(text: bytes) -> bytes:
    match = _PREFIX.match(text)
    body, padding = match.groups() if match else (b"", b"")
    if padding and len(body + padding) % 4 == 0:
        return binascii.a2b_base64(body + padding)
    return binascii.a2b_base64(body[: len(body) // 4 * 4])


def _read_classes(stream: StreamReader) -> list[tuple[str, list[tuple[str, str]]]]:
    """Read the root object's class and its superclasses: names and fields (type code, name)."""
    classes: list[tuple[str, list[tuple[str, str]]]] = []
    while True:
        tag = stream.number(1)
        if tag == TC_NULL and classes:
            return classes
        if tag != TC_CLASSDESC or len(classes) == MAX_CLASSES:
            raise stream.error(f"a class description expected, found tag {tag:#04x}")
        name = stream.text(2)
        stream.take(8)  # serialVersionUID
        flags = stream.number(1)
        if not flags & SC_SERIALIZABLE or flags & SC_EXTERNALIZABLE:
            raise stream.error(f"class flags {flags:#04x} are not those of a serializable class")
        classes.append((name, [_read_field(stream) for _ in range(stream.number(2))]))
        _skip_annotation(stream)


def _read_field(stream: StreamReader) -> tuple[str, str]:
    kind = chr(stream.number(1))
    if kind not in PRIMITIVE_BYTES and kind not in "L[":
        raise stream.error("a field of no known type")
    name = stream.text(2)
    if kind in "L[":
        _skip_simple_object(stream)  # the class name
    return kind, name


def _skip_annotation(stream: StreamReader) -> None:
    while (tag := stream.number(1)) != TC_ENDBLOCKDATA:
        if tag != TC_BLOCKDATA:
            raise stream.error(f"the class description's end expected, found tag {tag:#04x}")
        stream.take(stream.number(1))


def _skip_simple_object(stream: StreamReader) -> None:
    """Skip a null, a reference or a string; nothing else is needed before the statement."""
    tag = stream.number(1)
    if tag == TC_NULL:
        return
    if tag == TC_REFERENCE:
        stream.take(4)
    elif tag in (TC_STRING, TC_LONGSTRING):
        stream.take(stream.number(2 if tag == TC_STRING else 8))
    else:
        raise stream.error(f"a string expected, found tag {tag:#04x}")
