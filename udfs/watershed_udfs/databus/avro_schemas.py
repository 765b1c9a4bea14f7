"""Avro schemas as Databus names them: no pyspark, no Arrow."""

import hashlib
import json
import math
import re
from typing import Any, TypeGuard

from watershed_udfs.errors import PayloadError

PRIMITIVES = frozenset(["null", "boolean", "int", "long", "float", "double", "bytes", "string"])
NAMED = frozenset(["record", "error", "enum", "fixed"])
KEY_ENTRY = "pk"

# Members of Java's Schema class; any other is a property, written after them in the given order.
_SCHEMA_WORDS = frozenset(
    ["doc", "fields", "items", "name", "namespace", "size", "symbols", "values", "type", "aliases"]
)
_ENUM_WORDS = _SCHEMA_WORDS | {"default"}
_FIELD_WORDS = frozenset(["default", "doc", "name", "order", "type", "aliases"])
HALF_PAIR = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x1f]")
_SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}

Name = tuple[str | None, str]
"""Namespace and simple name of a type."""


def schema_ids(raw_text: bytes) -> tuple[str, str]:
    """Return both ids by which events name a schema (docs/formats/databus_binary.md).

    Args:
        raw_text: n bytes of a schema file.

    Returns:
        MD5 of Java's `Schema.toString(false)`, and MD5 of the unchanged bytes; 32 hexadecimal digits each.

    Raises:
        PayloadError: `avro_unreadable` if it is not an Avro schema.
    """
    java_text = schema_text(raw_text).encode(errors="replace")  # as Java writes half a surrogate pair
    return _md5(java_text), _md5(raw_text)


def key_columns_of(writer_schema: str | bytes) -> list[str] | None:
    """Read the names in the `pk=` entry of a schema's `meta` attribute (docs/formats/databus_binary.md).

    `dbFieldName=PERSON;pk=id,site` gives id and site. Null without such an entry.

    Raises:
        PayloadError: `avro_unreadable` for text that is no JSON.
    """
    schema = read_schema(writer_schema)
    meta = schema.get("meta") if isinstance(schema, dict) else None
    for entry in meta.split(";") if isinstance(meta, str) else ():
        name, _, columns = entry.partition("=")
        if name.strip() == KEY_ENTRY:
            if not is_text(columns):
                raise unusable_schema("a key column is not a text")
            return [column.strip() for column in columns.split(",") if column.strip()] or None
    return None


def schema_text(raw_text: str | bytes) -> str:
    """Write a schema as Java's `Schema.toString(false)` does (source: Apache Avro's Java class Schema, `toJson`).

    Raises:
        PayloadError: `avro_unreadable` if it is not an Avro schema.
    """
    try:
        return _json_text(_Writer().write(read_schema(raw_text), None))
    except RecursionError:
        raise PayloadError("avro_unreadable", "the schema is nested too deep") from None


def read_schema(raw_text: str | bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Read the JSON of a schema; of a duplicate member the last one applies, as in Java.

    Raises:
        PayloadError: `avro_unreadable` for text that is no JSON.
    """
    try:
        text = raw_text if isinstance(raw_text, str) else raw_text.decode("utf-8-sig")
        return json.loads(text)
    except (ValueError, RecursionError):
        raise PayloadError("avro_unreadable", "the schema is no JSON text") from None


def type_name(schema: dict[str, Any], space: str | None) -> Name:
    """Give the full name of a type that is defined here, inside the namespace `space`."""
    name = schema.get("name")
    if not is_text(name):
        raise unusable_schema("a type has no name, or one that is not a text")
    own = schema.get("namespace")
    if isinstance(own, str) and not is_text(own):
        raise unusable_schema("a namespace is not a text")
    return full_name(name, own if isinstance(own, str) else space)


def is_text(value: object) -> TypeGuard[str]:
    """Return whether a JSON value is a text that UTF-8 can encode: half a surrogate pair is not."""
    return isinstance(value, str) and not HALF_PAIR.search(value)


def fields_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the fields of a record, each with a name."""
    fields = schema.get("fields", [])
    if not isinstance(fields, list):
        raise unusable_schema("the fields of a record are not a list")
    for field in fields:
        if not isinstance(field, dict) or not is_text(field.get("name")):
            raise unusable_schema("a field has no name, or one that is not a text")
    return fields


def aliases_of(schema: dict[str, Any]) -> list[str]:
    """Give the aliases of a type or a field."""
    aliases = schema.get("aliases") or []
    if not isinstance(aliases, list) or not all(is_text(alias) for alias in aliases):
        raise unusable_schema("aliases are not a list of texts")
    return aliases


def full_name(name: str, space: str | None) -> Name:
    """Resolve a name: one with dots contains its namespace; an empty namespace is none."""
    before, dot, simple = name.rpartition(".")
    return ((before if dot else space) or None, simple)


def unusable_schema(what: str) -> PayloadError:
    """Return the error of a schema that is JSON but not Avro."""
    return PayloadError("avro_unreadable", f"the schema cannot be used: {what}")


class _Writer:
    """Rewrites a schema with its members in Java's order."""

    def __init__(self) -> None:
        self._known: set[Name] = set()

    def write(self, schema: Any, space: str | None) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(schema, str):
            return schema if schema in PRIMITIVES else self._reference(schema, space)
        if isinstance(schema, list):
            return [self.write(branch, space) for branch in schema]
        if not isinstance(schema, dict):
            raise unusable_schema("a type is neither text, list nor object")
        kind = schema.get("type")
        if not isinstance(kind, str):
            return self.write(kind, space)
        if kind in NAMED:
            return self._named(schema, kind, space)
        written: dict[str, Any] = {"type": kind}
        for member in ("items", "values"):
            if (kind, member) in (("array", "items"), ("map", "values")):
                written[member] = self.write(schema.get(member), space)
        if len(written) == 1 and kind not in PRIMITIVES:
            return self._reference(kind, space)
        written |= _properties(schema, _SCHEMA_WORDS)
        return kind if len(written) == 1 else written

    def _reference(self, text: str, space: str | None) -> str:
        name = full_name(text, space)
        if name not in self._known:
            name = (None, name[1])
        if name not in self._known:
            raise unusable_schema("it names a type that it does not define")
        return _qualified(name, space)

    def _named(self, schema: dict[str, Any], kind: str, space: str | None) -> dict[str, Any]:
        name = type_name(schema, space)
        self._known.add(name)
        written: dict[str, Any] = {"type": kind, "name": name[1]}
        if name[0] != space:
            written["namespace"] = name[0] or ""
        if kind != "fixed" or isinstance(schema.get("doc"), str):
            written |= _texts(schema, "doc")
        if kind == "enum":
            written["symbols"] = schema.get("symbols", [])
            written |= _texts(schema, "default")
        elif kind == "fixed":
            written["size"] = schema.get("size")
        else:
            written["fields"] = [self._field(field, name[0]) for field in fields_of(schema)]
        written |= _properties(schema, _ENUM_WORDS if kind == "enum" else _SCHEMA_WORDS)
        if aliases := aliases_of(schema):
            written["aliases"] = [_qualified(full_name(alias, name[0]), name[0]) for alias in aliases]
        return written

    def _field(self, field: dict[str, Any], space: str | None) -> dict[str, Any]:
        written = {"name": field["name"], "type": self.write(field.get("type"), space)} | _texts(field, "doc")
        if "default" in field:
            written["default"] = field["default"]
        order = str(field.get("order", "ascending")).lower()
        if order != "ascending":
            written["order"] = order
        if aliases := aliases_of(field):
            written["aliases"] = aliases
        return written | _properties(field, _FIELD_WORDS)


def _qualified(name: Name, space: str | None) -> str:
    return name[1] if name[0] in (None, space) else f"{name[0]}.{name[1]}"


def _texts(schema: dict[str, Any], member: str) -> dict[str, Any]:
    return {member: schema[member]} if isinstance(schema.get(member), str) else {}


def _properties(schema: dict[str, Any], words: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in words}


def _json_text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Write JSON as Jackson does: no spaces, only what must be escaped, fractions as Java writes a double."""
    if isinstance(value, str):
        text = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + _CONTROLS.sub(_escape, text) + '"'
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json_text(name)}:{_json_text(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json_text, value)) + "]"
    return java_double(value) if isinstance(value, float) else json.dumps(value)


def _escape(control: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(control[0]) or f"\\u{ord(control[0]):04X}"


def java_double(number: float) -> str:
    """Write a finite number as `Double.toString`: 1.0E10 from ten million on and 1.0E-4 below a thousandth."""
    if number == 0 or 1e-3 <= abs(number) < 1e7 or not math.isfinite(number):
        return repr(number)
    mantissa, _, exponent = f"{number!r}".partition("e")
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = digits.partition(".")
    point = len(whole) + int(exponent or 0)
    stripped = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(stripped)
    stripped = stripped.rstrip("0")
    return f"{sign}{stripped[0]}.{stripped[1:] or '0'}E{point - 1}"


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
