"""Opens a JSON message: JSON bytes or strict Base64 of them in, the texts of the wanted members out."""

import functools
import re
from typing import Any

import msgspec

from watershed_udfs.base64_text import decode_base64
from watershed_udfs.errors import PayloadError
from watershed_udfs.member_spec import REPEATED, MemberSpec, Texts
from watershed_udfs.remembered import Remembered
from watershed_udfs.strict_json import MAX_DEPTH, kind_of, read_json, read_plain
from watershed_udfs.too_large import MARK, MAX_VALUE_BYTES, check_size

JSON_WHITE_SPACE = b" \t\n\r"
BASE64_FIRST = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# A JSON scalar of Base64 characters. Base64 of an object starts with e, C, D or I, so no such text is both.
_BARE_SCALAR = re.compile(rb"null|true|false|(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/= \t\n\v\f\r]")
_START_OF_OBJECT = re.compile(rb'[ \t\n\r]+|[ \t\n\r]*\{[ \t\n\r]*(["}].*)?', re.DOTALL)
_OPEN_BRACE = ord("{")

MAX_REMEMBERED_BYTES, MAX_REMEMBERED_BYTES_OF_ONE = 16_000_000, 500_000
"""Texts of the member `REPEATED` that are kept, one per table and version of it; each takes three times its size."""

_TOP_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ENCODER = msgspec.json.Encoder()


def open_json(value: bytes | None, spec: MemberSpec) -> Texts:
    """Open one message strictly (sources: RFC 8259, RFC 4648 section 4; rules: ADR 0003).

    Args:
        value: n bytes of JSON, or of Base64 of JSON; told apart by the first byte that is not white space.
        spec: the wanted members, from `member_spec.read_spec`.

    Returns:
        One text per wanted member, in order; null where the member, or a step to it, is null or missing.

    Raises:
        PayloadError: `empty_value`, `value_too_large`, `invalid_base64`, `invalid_utf8`, `malformed_json`,
            `duplicate_member`, `unexpected_type`.
    """
    text = value.strip(JSON_WHITE_SPACE) if value is not None else b""
    if not text:
        raise PayloadError("empty_value", "no bytes" if not value else f"{len(value)} bytes of white space")
    if len(text) > MAX_VALUE_BYTES or text[0] == MARK[0]:
        check_size(value or b"")
    if text[0] != _OPEN_BRACE and text[0] in BASE64_FIRST and not _BARE_SCALAR.fullmatch(text):
        text = _decode(text).strip(JSON_WHITE_SPACE)
        if not text:
            raise PayloadError("empty_value", "Base64 of nothing or of white space")
    repeated = _repeated_reader(spec)
    if repeated is not None:
        try:
            return repeated.read_texts(text)
        except (ValueError, RecursionError, PayloadError):
            pass
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
    """Tell whether four characters are Base64 of the first bytes of a JSON object."""
    try:
        return _START_OF_OBJECT.fullmatch(decode_base64(group)) is not None
    except PayloadError:
        return False


class RepeatedReader:
    """Reads plain messages whose member `REPEATED` says what it said before: it is read once for each text of it.

    It takes no message that `read_json` and `MemberSpec.read_texts` would refuse, and gives what they give: a message
    is taken apart at its top, written again to prove that it is plain, and each member is read by `read_plain`.
    """

    def __init__(self, spec: MemberSpec) -> None:
        """Split the specification."""
        self._repeated, self._rest = spec.split()
        self._known = Remembered(MAX_REMEMBERED_BYTES, MAX_REMEMBERED_BYTES_OF_ONE)

    def read_texts(self, text: bytes) -> Texts:
        """Give the texts of the wanted members.

        Raises:
            ValueError, RecursionError, PayloadError: the message is not plain, has no such member, or is wrong: whoever
                reads all of it can tell.
        """
        if len(text) > 2 * MAX_DEPTH and text.count(b"{") + text.count(b"[") > MAX_DEPTH:
            raise ValueError("may be nested too deep")
        members: dict[str, Any] = _TOP_DECODER.decode(text)
        if REPEATED not in members or _ENCODER.encode(members) != text:
            raise ValueError("not plain, or nothing to remember")
        raw = bytes(members.pop(REPEATED))
        known: tuple[object, Texts] | None = self._known.get(raw)
        if known is None:
            value = read_plain(raw)
            known = value, self._repeated.read_texts({REPEATED: value})
            self._known.keep(raw, known, len(raw))
        message = {name: read_plain(bytes(member)) for name, member in members.items()}
        message[REPEATED] = known[0]
        return self._rest.read_texts(message, known[1].copy())


@functools.lru_cache(maxsize=64)
def _repeated_reader(spec: MemberSpec) -> RepeatedReader | None:
    return RepeatedReader(spec) if spec.split()[0].wanted else None
