"""Row keys of Databus events: no pyspark, no Arrow."""

from collections.abc import Sequence

import msgspec

from watershed_udfs.row_key import canonical_number, name_parts

SEPARATOR = "\t"
"""Separates the values of a key of several columns."""

_KEY = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
_QUOTE = ord('"')
_NUMBER_FIRST = frozenset(b"-0123456789")


def name_key(message_key: str | bytes | None, names: Sequence[str | None] | None) -> str | None:
    """Name the values of an event's key (docs/formats/databus_binary.md).

    Args:
        message_key: `{"key":123}`, `{"key":"text"}` or `{"key_base64":"text"}`, as `read_databus` writes it.
        names: the key columns, in the order of the key's parts.

    Returns:
        A canonical JSON object, sorted by name. One name gets the whole key, a number as a number and any other as
        text. Several names get the parts of a text key between tabs, as texts. Without names, the key as it is. Null
        without a key, if the numbers of parts and names differ, if a name is null or duplicate, for bytes with several
        names, and for any other text.
    """
    if message_key is None:
        return None
    try:
        text = message_key if isinstance(message_key, str) else message_key.decode()
        if not names:
            return text
        ((member, raw),) = _KEY.decode(text).items()
        values = _key_values(member, bytes(raw), len(names))
        prefixes = dict(name_parts(tuple(names)))
        if len(values) != len(names) or len(prefixes) != len(names):
            return None
        parts = dict(zip(names, values, strict=True))
        return (b"{" + b",".join(prefix + parts[name] for name, prefix in prefixes.items()) + b"}").decode()
    except (KeyError, ValueError, RecursionError):
        return None


def _key_values(member: str, raw: bytes, count: int) -> list[bytes]:
    """Return the JSON texts of a key split into `count` values; none if it is not a key."""
    if member not in ("key", "key_base64") or (raw[0] != _QUOTE and (member != "key" or raw[0] not in _NUMBER_FIRST)):
        return []
    if count == 1:
        return [raw if raw[0] == _QUOTE else canonical_number(raw)]
    if member != "key" or raw[0] != _QUOTE:
        return []
    return [msgspec.json.encode(part) for part in _TEXT.decode(raw).split(SEPARATOR)]
