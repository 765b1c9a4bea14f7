"""Strict Base64: no pyspark, no Arrow."""

import binascii

from watershed_udfs.errors import PayloadError

WHITE_SPACE = b" \t\n\v\f\r"
ALPHABET = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_PROBLEM = "a foreign one, wrong padding, or unused bits set"


def decode_base64(text: str | bytes) -> bytes:
    """Decode strict Base64 (source: RFC 4648 section 4, with section 3.5 held strictly).

    Args:
        text: n characters of the standard alphabet, padded to a multiple of 4; ASCII white space anywhere
            (MIME encoders break lines at 76).

    Returns:
        At most 3 * n / 4 bytes; none for an empty text.

    Raises:
        PayloadError: `invalid_base64` for a foreign character, a wrong length, wrong padding, data after the padding
            or unused bits that are not zero (no encoder writes them: the text is damaged).
    """
    try:
        encoded = (text.encode("ascii") if isinstance(text, str) else text).translate(None, WHITE_SPACE)
    except UnicodeEncodeError as error:
        raise PayloadError("invalid_base64", f"character {error.start} is not ASCII") from None
    if len(encoded) % 4:
        raise PayloadError("invalid_base64", f"{len(encoded)} characters are not a multiple of 4")
    try:
        decoded = binascii.a2b_base64(encoded, strict_mode=True)
    except binascii.Error:
        raise PayloadError("invalid_base64", f"{len(encoded)} characters: {_PROBLEM}") from None
    # strict_mode takes "QQQQ====" and "QR==": the last group must read the same when it is encoded again
    last_group = encoded[-4:]
    if last_group.endswith(b"=") or last_group[:1] == b"=":
        rest = decoded[len(encoded) // 4 * 3 - 3 :]
        if binascii.b2a_base64(rest, newline=False) != last_group:
            raise PayloadError("invalid_base64", f"{len(encoded)} characters: {_PROBLEM}")
    return decoded
