"""Defaults and aliases of Avro fields: the texts that a written value of the same type would have."""

import io
import json
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from watershed_udfs.arrow_databus import read_avro_fields_column
from watershed_udfs.databus.avro_fields import ReaderField, read_avro_fields
from watershed_udfs.databus.avro_values import read_avro
from watershed_udfs.json_columns import read_columns

CENTS = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
POINT = {
    "type": "record",
    "name": "Point",
    "namespace": "geo",
    "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "int", "default": 2}],
}
LEVEL = {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}


def schema_of(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "record", "name": "R", "namespace": "n", "fields": list(fields)})


def default_of(type_: object, default: object) -> str | None:
    fields = read_avro_fields(schema_of({"name": "f", "type": type_, "default": default}))
    return fields["f"].default_value if fields else None


@pytest.mark.parametrize(
    ("type_", "default", "text"),
    [
        ("boolean", False, "false"),
        ("int", -(2**31), "-2147483648"),
        ("long", 2**63 - 1, "9223372036854775807"),
        ("float", 0.1, "0.1"),
        ("float", 3, "3.0"),
        ("double", 0.5, "0.5"),
        ("string", "", ""),
        ("string", 'it\'s "{{ odd }}"\n', 'it\'s "{{ odd }}"\n'),
        ("bytes", "\u00ff\u0000", "/wA="),
        (CENTS, "\u0002", "0.02"),
        ({"type": "fixed", "name": "F", "size": 2}, "ab", "YWI="),
        (LEVEL, "HIGH", "HIGH"),
        ({"type": "array", "items": "int"}, [1, 2], "[1,2]"),
        ({"type": "map", "values": ["null", "long"]}, {"b": 1, "a": None}, '{"a":null,"b":1}'),
        (POINT, {"x": 1}, '{"x":1,"y":2}'),
        (["string", "null"], "new", "new"),
        (["null", "string"], "new", "new"),
        ({"type": "string"}, "new", "new"),
    ],
)
def test_a_default_is_the_text_of_a_written_value(type_: object, default: object, text: str) -> None:
    assert default_of(type_, default) == text


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        ("null", None),
        (["string", "null"], None),
        ("int", 2**31),
        ("long", -(2**63) - 1),
        ("int", True),
        ("int", 1.5),
        ("double", True),
        ("double", "1"),
        ("float", 1e39),
        ("boolean", 0),
        ("string", 1),
        ("bytes", "\u0100"),
        ({"type": "fixed", "name": "F", "size": 2}, "a"),
        (LEVEL, "MIDDLE"),
        (POINT, {"y": 1}),
        ({"type": "array", "items": "int"}, ["a"]),
        ("n.Unknown", 1),
        (None, 1),
    ],
)
def test_no_default_is_none(type_: object, default: object) -> None:
    assert default_of(type_, default) is None


def test_names_that_were_defined_before_are_known() -> None:
    fields = read_avro_fields(
        schema_of(
            {"name": "a", "type": POINT},
            {"name": "b", "type": "geo.Point", "default": {"x": 5}},
            {"name": "c", "type": ["null", LEVEL]},
            {"name": "d", "type": "Level", "default": "LOW", "aliases": ["older", "oldest"]},
            {"name": "e", "type": "int", "aliases": ["was"]},
        )
    )
    assert fields == {
        "b": ReaderField('{"x":5,"y":2}', []),
        "d": ReaderField("LOW", ["older", "oldest"]),
        "e": ReaderField(None, ["was"]),
    }


def test_defaults_are_what_fastavro_resolves_to() -> None:
    writer = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}
    added = [
        {"name": "s", "type": ["string", "null"], "default": "x"},
        {"name": "d", "type": "double", "default": 1e300},
        {"name": "l", "type": "long", "default": 2**62},
        {"name": "p", "type": POINT, "default": {"x": 1, "y": 7}},
    ]
    reader = writer | {"fields": [*writer["fields"], *added]}  # type: ignore[misc]
    written, again = io.BytesIO(), io.BytesIO()
    fastavro.schemaless_writer(written, writer, {"id": 1})
    written.seek(0)
    fastavro.schemaless_writer(again, reader, fastavro.schemaless_reader(written, writer, reader))
    resolved = read_columns(read_avro(again.getvalue(), json.dumps(reader)))
    fields = read_avro_fields(json.dumps(reader))
    assert {"id": "1"} | {name: field.default_value for name, field in fields.items()} == resolved


@pytest.mark.parametrize(
    "schema",
    [
        *("", "[", "[]", '"int"', "{}", '{"type":"record","name":"R","fields":[]}', '{"fields":5}'),
        schema_of({"name": "a", "type": {"type": "record", "name": "S", "fields": [5]}, "default": {}}),
        schema_of({"name": "a", "type": "enum", "default": "A"}),
        schema_of({"name": "a", "type": "string", "default": "\ud800"}),
    ],
)
def test_schemas_that_are_no_record_have_no_fields(schema: str) -> None:
    assert read_avro_fields(schema) == {}


def test_the_column_takes_nulls() -> None:
    schema = schema_of({"name": "a", "type": "int", "default": 1, "aliases": ["b"]})
    column = read_avro_fields_column(pa.array([schema, None, "["]))
    assert column.to_pylist() == [[("a", {"default_value": "1", "aliases": ["b"]})], None, []]
    assert read_avro_fields_column(pa.nulls(1)).to_pylist() == [None]
