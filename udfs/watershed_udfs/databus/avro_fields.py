"""Defaults and aliases in Avro schemas, for fields unknown to older writers: no pyspark, no Arrow."""

import struct
from typing import Any, NamedTuple

from watershed_udfs.databus.avro_primitives import read_double, read_float
from watershed_udfs.databus.avro_schemas import NAMED, Name, fields_of, full_name, is_text, read_schema, type_name
from watershed_udfs.databus.avro_values import MAX_REMEMBERED_BYTES, bytes_or_decimal
from watershed_udfs.errors import PayloadError
from watershed_udfs.json_columns import canonical_text, read_columns
from watershed_udfs.remembered import remembered

_BITS = {"int": 31, "long": 63}


class ReaderField(NamedTuple):
    """How a reader fills a field that is not in the writer's schema under this name."""

    default_value: str | None
    """The text that `read_columns` gives of the default; null for a default of null and for none."""
    aliases: list[str]
    """Older names of the field."""


class _UnfitDefaultError(Exception):
    """A default that is not a value of its type."""


@remembered(most_bytes=MAX_REMEMBERED_BYTES, most_bytes_of_one=MAX_REMEMBERED_BYTES // 4)
def read_avro_fields(schema_text: str | bytes) -> dict[str, ReaderField]:
    """Read defaults and aliases of a record's fields (source: Apache Avro Specification, "Schema Resolution").

    Args:
        schema_text: JSON text of the reader's schema.

    Returns:
        An entry for each field with a default or an alias; none if the text is not a record schema. A default that is
        not a value of its type is ignored. In a union the default may be of any branch: Databus lists the type before
        null and still has null as default.
    """
    try:
        schema = read_schema(schema_text)
        if not isinstance(schema, dict) or not isinstance(schema.get("fields"), list):
            return {}
        defaults = _Defaults(schema)
        fields = [field for field in schema["fields"] if isinstance(field, dict) and is_text(field.get("name"))]
        found = {field["name"]: ReaderField(defaults.text_of(field), _aliases(field)) for field in fields}
    except (PayloadError, RecursionError, AttributeError, KeyError, TypeError, ValueError):
        return {}  # a schema of another shape: `watershed schemas` stores none, and no value could be read by it
    return {name: field for name, field in found.items() if field.default_value is not None or field.aliases}


def _aliases(field: dict[str, Any]) -> list[str]:
    aliases = field.get("aliases")
    return [alias for alias in aliases if is_text(alias)] if isinstance(aliases, list) else []


class _Defaults:
    """Converts JSON defaults into values as `read_avro` returns them."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._named: dict[Name, tuple[Any, str | None]] = {}
        self._space = type_name(schema, None)[0]
        self._keep_names(schema, None)

    def text_of(self, field: dict[str, Any]) -> str | None:
        if "default" not in field:
            return None
        try:
            image = canonical_text({"default": self._value(field.get("type"), field["default"], self._space)})
        except _UnfitDefaultError:
            return None
        return (read_columns(image) or {}).get("default")

    def _keep_names(self, schema: Any, space: str | None) -> None:  # noqa: ANN401 - any JSON value
        if isinstance(schema, list):
            for branch in schema:
                self._keep_names(branch, space)
        if not isinstance(schema, dict):
            return
        if isinstance(schema.get("type"), str) and schema["type"] in NAMED:
            name = type_name(schema, space)
            self._named[name] = (schema, space)
            space = name[0]
        for inner in ("type", "items", "values"):
            self._keep_names(schema.get(inner), space)
        fields = schema.get("fields")
        for field in fields if isinstance(fields, list) else []:
            self._keep_names(field, space)

    def _value(self, schema: Any, default: Any, space: str | None) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(schema, list):
            return self._branch(schema, default, space)
        kind = schema.get("type") if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return self._value(kind, default, space)
        match kind, default:
            case "null", None:
                return None
            case ("boolean", bool()) | ("string", str()):
                return default
            case (("int" | "long"), int()) if type(default) is int and -1 <= default >> _BITS[kind] <= 0:
                return default
            case "float", int() | float() if not isinstance(default, bool):
                return read_float(_packed("<f", default), 0)[0]
            case "double", int() | float() if not isinstance(default, bool):
                return read_double(_packed("<d", default), 0)[0]
            case (("bytes" | "fixed"), str()):
                return self._bytes(schema if isinstance(schema, dict) else {}, default)
            case "enum", str() if default in (schema.get("symbols") or []):
                return default
            case "array", list():
                return [self._value(schema.get("items"), item, space) for item in default]
            case "map", dict():
                return {name: self._value(schema.get("values"), item, space) for name, item in default.items()}
            case (("record" | "error"), dict()):
                return self._record(schema, default, space)
        return self._reference(kind, default, space)

    def _branch(self, branches: list[Any], default: Any, space: str | None) -> Any:  # noqa: ANN401 - any JSON value
        for branch in branches:
            try:
                return self._value(branch, default, space)
            except _UnfitDefaultError:
                continue
        raise _UnfitDefaultError

    def _bytes(self, schema: dict[str, Any], default: str) -> Any:  # noqa: ANN401 - text or a number
        try:
            data = default.encode("latin-1")  # one character per byte
        except UnicodeEncodeError:
            raise _UnfitDefaultError from None
        if schema.get("type") == "fixed" and schema.get("size") != len(data):
            raise _UnfitDefaultError
        return bytes_or_decimal(lambda data, _: (data, len(data)), schema)(data, 0)[0]

    def _record(self, schema: dict[str, Any], default: dict[str, Any], space: str | None) -> dict[str, Any]:
        record = {}
        for field in fields_of(schema):
            if field["name"] not in default and "default" not in field:
                raise _UnfitDefaultError
            given = default.get(field["name"], field.get("default"))
            record[field["name"]] = self._value(field.get("type"), given, type_name(schema, space)[0])
        return record

    def _reference(self, kind: Any, default: Any, space: str | None) -> Any:  # noqa: ANN401 - any JSON value
        if not isinstance(kind, str):
            raise _UnfitDefaultError
        name = full_name(kind, space)
        found = self._named.get(name) or self._named.get((None, name[1]))
        if found is None:
            raise _UnfitDefaultError
        return self._value(found[0], default, found[1])


def _packed(layout: str, number: float) -> bytes:
    try:
        return struct.pack(layout, number)
    except (OverflowError, struct.error):  # the latter for an integer beyond a double
        raise _UnfitDefaultError from None
