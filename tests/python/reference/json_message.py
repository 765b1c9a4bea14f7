"""Opens a JSON message, returns texts of its members: the reference for `JsonMessage.java`, which SQL calls."""

import re

from watershed_udfs.base64_text import ALPHABET, decode_base64
from watershed_udfs.errors import PayloadError
from watershed_udfs.too_large import MARK, MAX_VALUE_BYTES, check_size

from reference.member_spec import MemberSpec, Texts
from reference.strict_json import kind_of, read_json

JSON_WHITE_SPACE = b" \t\n\r"

# A JSON scalar of Base64 characters. Base64 of an object starts with e, C, D or I, so no such text is both.
_BARE_SCALAR = re.compile(rb"null|true|false|(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/= \t\n\v\f\r]")
_START_OF_OBJECT = re.compile(rb'[ \t\n\r]+|[ \t\n\r]*\{[ \t\n\r]*(["}].*)?', re.DOTALL)
_OPEN_BRACE = ord("{")


def open_json(value: bytes | None, spec: MemberSpec) -> Texts:
    """Open one message strictly (sources: RFC 8259, RFC 4648 section 4; rules: ADR 0003).

    Args:
        value: n bytes of JSON, or of Base64 of JSON; distinguished by the first byte that is not white space.
        spec: the requested members, from `member_spec.read_spec`.

    Returns:
        One text per requested member, in order; null where the member, or a step to it, is null or missing.

    Raises:
        PayloadError: `empty_value`, `value_too_large`, `invalid_base64`, `invalid_utf8`, `malformed_json`,
            `duplicate_member`, `unexpected_type`.
    """
    text = value.strip(JSON_WHITE_SPACE) if value is not None else b""
    if not text:
        raise PayloadError("empty_value", "no bytes" if not value else f"{len(value)} bytes of white space")
    if len(text) > MAX_VALUE_BYTES or text[0] == MARK[0]:
        check_size(value or b"")
    if text[0] != _OPEN_BRACE and text[0] in ALPHABET and not _BARE_SCALAR.fullmatch(text):
        text = _decode(text).strip(JSON_WHITE_SPACE)
        if not text:
            raise PayloadError("empty_value", "Base64 of nothing or of white space")
    message = read_json(text)
    if type(message) is not dict:
        raise PayloadError("unexpected_type", f"message: expected object, found {kind_of(message)}")
    return spec.read_texts(message)


def _decode(text: bytes) -> bytes:
    """Decode Base64. CSV is malformed JSON: it has other characters and does not begin as Base64 of an object does."""
    try:
        return decode_base64(text)
    except PayloadError:
        foreign = _NO_BASE64.search(text)
        if foreign is None or _is_start_of_object(text[:4]):
            raise
        detail = f"neither JSON nor Base64: character {foreign.start()} of {len(text)}"
        raise PayloadError("malformed_json", detail) from None


def _is_start_of_object(group: bytes) -> bool:
    """Return whether four characters are Base64 of the first bytes of a JSON object."""
    try:
        return _START_OF_OBJECT.fullmatch(decode_base64(group)) is not None
    except PayloadError:
        return False
