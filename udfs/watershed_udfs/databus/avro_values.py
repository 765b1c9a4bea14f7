"""Avro values as row images: no pyspark, no Arrow.

It has its own reader because values are untrusted: fastavro (1.13.1) crashes the process on deeply nested values, takes
a negative union branch for the last one, and misreads numbers of more than 64 bits. Tests compare both.
"""

import binascii
import struct
from collections.abc import Callable
from typing import Any

import msgspec

from watershed_udfs.databus.avro_primitives import (
    Reader,
    read_boolean,
    read_bytes,
    read_double,
    read_float,
    read_int,
    read_long,
    read_null,
    read_string,
    wrong,
)
from watershed_udfs.databus.avro_schemas import (
    Name,
    fields_of,
    full_name,
    is_text,
    read_schema,
    type_name,
    unusable_schema,
)
from watershed_udfs.errors import PayloadError
from watershed_udfs.json_columns import canonical_text
from watershed_udfs.remembered import remembered

RECORD_COST, ITEM_COST, CHARACTER_COST = 200, 80, 3
"""About how many bytes a record takes, each field or item, and each character that the schema adds to the text."""

LEAST_BUDGET, BUDGET_PER_BYTE = 100_000_000, 64
"""What a value may cost, whatever its schema makes of it: a few bytes can stand for millions of empty items."""

MAX_REMEMBERED_BYTES = 4_000_000
"""Texts of schemas whose readers are kept in memory; a reader takes some ten times the memory of its text."""

MAX_SCALE = 1000
"""A decimal of a larger scale is read as bytes."""

Spend = Callable[[int, int], None]
"""Takes a cost from the budget of the value, or raises a PayloadError that names the position."""


def read_avro(value: bytes, writer_schema: str | bytes) -> str | None:
    """Read a bare Avro record (source: Apache Avro Specification, "Binary Encoding").

    Args:
        value: n bytes, without header and length.
        writer_schema: JSON text of the schema it was written by. Defaults, documentation and attributes do not matter.

    Returns:
        The fields as a canonical JSON object: numbers exact (float and double in the fewest digits that give the same
        number), NaN, Infinity and -Infinity as text, bytes and fixed as Base64, an enum as its symbol, arrays, maps and
        records as JSON. Of the logical types only decimal is applied. Null for no bytes, which are not a record.

    Raises:
        PayloadError: `avro_unreadable`, with a byte position.
    """
    if not value:
        return None
    reader = _row_reader(writer_schema)
    if isinstance(reader, PayloadError):
        raise PayloadError(reader.code, reader.detail)
    try:
        row, end = reader.read(value)
        if end != len(value):
            raise PayloadError("avro_unreadable", f"the record ends at byte {end} of {len(value)}")
        if type(row) is not dict:
            raise PayloadError("avro_unreadable", "the value is not a record")
        return canonical_text(row)
    except (IndexError, struct.error):
        raise PayloadError("avro_unreadable", f"the value of {len(value)} bytes ends inside a field") from None
    except UnicodeDecodeError:
        raise PayloadError("avro_unreadable", "a text is not UTF-8") from None
    except RecursionError:
        raise PayloadError("avro_unreadable", "nested too deep") from None
    except ValueError:
        raise PayloadError("avro_unreadable", "a decimal of too many digits") from None


@remembered(most_bytes=MAX_REMEMBERED_BYTES, most_bytes_of_one=MAX_REMEMBERED_BYTES // 4)
def _row_reader(writer_schema: str | bytes) -> "_RowReader | PayloadError":
    try:
        return _RowReader(read_schema(writer_schema))
    except PayloadError as error:
        return error
    except RecursionError:
        return unusable_schema("nested too deep")


class _Budget:
    """The remaining budget of one value."""

    def __init__(self) -> None:
        self.left = 0

    def spend(self, cost: int, position: int) -> None:
        self.left -= cost
        if self.left < 0:
            raise wrong("more items and text than a value of its size may hold", position)


class _RowReader:
    """Reads values of one schema, each within a budget."""

    def __init__(self, schema: Any) -> None:  # noqa: ANN401 - any JSON value
        self._budget = _Budget()
        self._reader = _Compiler(self._budget).reader(schema, None)

    def read(self, value: bytes) -> tuple[Any, int]:
        self._budget.left = LEAST_BUDGET + BUDGET_PER_BYTE * len(value)
        return self._reader(value, 0)


class _Compiler:
    """Builds the reader of one schema; its names are those defined so far."""

    def __init__(self, budget: _Budget) -> None:
        self._named: dict[Name, Reader] = {}
        self._spend = budget.spend

    def reader(self, schema: Any, space: str | None) -> Reader:  # noqa: ANN401 - any JSON value
        if isinstance(schema, str):
            return _PRIMITIVES.get(schema) or self._reference(schema, space)
        if isinstance(schema, list):
            return _union_reader([self.reader(branch, space) for branch in schema])
        if not isinstance(schema, dict):
            raise unusable_schema("a type is neither text, list nor object")
        kind = schema.get("type")
        match kind:
            case "record" | "error":
                return self._record(schema, space)
            case "array":
                return _array_reader(self.reader(schema.get("items"), space), self._spend)
            case "map":
                return _map_reader(self.reader(schema.get("values"), space), self._spend)
            case "enum":
                return self._name(schema, space, _enum_reader(schema, self._spend))
            case "fixed":
                return self._name(schema, space, bytes_or_decimal(_fixed_reader(schema), schema, self._spend))
            case "bytes":
                return bytes_or_decimal(read_bytes, schema, self._spend)
        return self.reader(kind, space)

    def _reference(self, text: str, space: str | None) -> Reader:
        name = full_name(text, space)
        reader = self._named.get(name) or self._named.get((None, name[1]))
        if reader is None:
            raise unusable_schema("it names a type that it does not define")
        return reader

    def _name(self, schema: dict[str, Any], space: str | None, reader: Reader) -> Reader:
        self._named[type_name(schema, space)] = reader
        return reader

    def _record(self, schema: dict[str, Any], space: str | None) -> Reader:
        fields: list[tuple[str, Reader]] = []
        cost, spend = RECORD_COST, self._spend

        def read_record(data: bytes, position: int) -> tuple[Any, int]:
            spend(cost, position)
            record = {}
            for name, read in fields:
                record[name], position = read(data, position)
            return record, position

        name = type_name(schema, space)
        self._named[name] = read_record  # its fields may be of its own type
        for field in fields_of(schema):
            fields.append((field["name"], self.reader(field.get("type"), name[0])))
        if len({field for field, _ in fields}) < len(fields):
            raise unusable_schema("a record has two fields of one name")
        cost += sum(ITEM_COST + CHARACTER_COST * len(field) for field, _ in fields)
        return read_record


def _fixed_reader(schema: dict[str, Any]) -> Reader:
    size = schema.get("size")
    if type(size) is not int or size < 0:
        raise unusable_schema("a fixed type has no size")

    def read_fixed(data: bytes, position: int) -> tuple[bytes, int]:
        end = position + size
        if end > len(data):
            raise wrong(f"a fixed type of {size} bytes, {len(data) - position} left", position)
        return data[position:end], end

    return read_fixed


def _spend_nothing(cost: int, position: int) -> None:
    pass


def bytes_or_decimal(read: Reader, schema: dict[str, Any], spend: Spend = _spend_nothing) -> Reader:
    """Write bytes as Base64, or as a number if they are a decimal of a possible scale."""
    scale = schema.get("scale", 0)
    is_decimal = schema.get("logicalType") == "decimal" and type(scale) is int and 0 <= scale <= MAX_SCALE

    def read_base64(data: bytes, position: int) -> tuple[Any, int]:
        found, end = read(data, position)
        return binascii.b2a_base64(found, newline=False).decode(), end

    def read_decimal(data: bytes, position: int) -> tuple[Any, int]:
        found, end = read(data, position)
        spend(CHARACTER_COST * scale, end)
        unscaled = int.from_bytes(found, "big", signed=True)
        digits = str(abs(unscaled)).zfill(scale + 1)
        point = len(digits) - scale
        text = digits[:point] + ("." + digits[point:] if scale else "")
        return msgspec.Raw(("-" if unscaled < 0 else "") + text), end

    return read_decimal if is_decimal else read_base64


def _enum_reader(schema: dict[str, Any], spend: Spend) -> Reader:
    symbols = schema.get("symbols")
    if not isinstance(symbols, list) or not all(is_text(symbol) for symbol in symbols):
        raise unusable_schema("an enum has no symbols, or one that is not a text")

    def read_enum(data: bytes, position: int) -> tuple[Any, int]:
        index, position = read_long(data, position)
        if not 0 <= index < len(symbols):
            raise wrong(f"symbol {index} of {len(symbols)}", position)
        spend(CHARACTER_COST * len(symbols[index]), position)
        return symbols[index], position

    return read_enum


def _union_reader(branches: list[Reader]) -> Reader:
    count = len(branches)

    def read_union(data: bytes, position: int) -> tuple[Any, int]:
        index, position = read_long(data, position)
        if not 0 <= index < count:
            raise wrong(f"branch {index} of a union of {count}", position)
        return branches[index](data, position)

    return read_union


def _array_reader(read_item: Reader, spend: Spend) -> Reader:
    def read_array(data: bytes, position: int) -> tuple[Any, int]:
        items = []
        count, position = _read_count(data, position)
        while count:
            spend(ITEM_COST * count, position)
            for _ in range(count):
                item, position = read_item(data, position)
                items.append(item)
            count, position = _read_count(data, position)
        return items, position

    return read_array


def _map_reader(read_item: Reader, spend: Spend) -> Reader:
    def read_map(data: bytes, position: int) -> tuple[Any, int]:
        items = {}
        count, position = _read_count(data, position)
        while count:
            spend(ITEM_COST * count, position)
            for _ in range(count):
                name, position = read_string(data, position)
                items[name], position = read_item(data, position)
            count, position = _read_count(data, position)
        return items, position

    return read_map


def _read_count(data: bytes, position: int) -> tuple[int, int]:
    """Read the item count of the next block of an array or map; if it is negative, the block size follows."""
    count, position = read_long(data, position)
    if count < 0:
        count = -count
        _, position = read_long(data, position)
    return count, position


_PRIMITIVES: dict[str, Reader] = {
    "null": read_null,
    "boolean": read_boolean,
    "int": read_int,
    "long": read_long,
    "float": read_float,
    "double": read_double,
    "bytes": bytes_or_decimal(read_bytes, {}),
    "string": read_string,
}
