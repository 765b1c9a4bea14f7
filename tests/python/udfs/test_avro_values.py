"""Avro values as row images, compared with fastavro, and values that must be rejected."""

import base64
import io
import json
import math
import struct
from decimal import Decimal
from typing import Any

import fastavro
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from watershed_udfs.databus.avro_primitives import float_text
from watershed_udfs.databus.avro_values import read_avro
from watershed_udfs.errors import PayloadError


def record(*types: object) -> str:
    fields = [{"name": f"f{index}", "type": one} for index, one in enumerate(types)]
    return json.dumps({"type": "record", "name": "R", "namespace": "n", "fields": fields})


def zigzag(number: int) -> bytes:
    number = number << 1 ^ number >> 63
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


LINKED = '{"type":"record","name":"L","fields":[{"name":"n","type":["null","L"]}]}'


@pytest.mark.parametrize(
    ("schema", "value", "row_image"),
    [
        (record("null", "boolean", "boolean"), b"\x00\x01", '{"f0":null,"f1":false,"f2":true}'),
        (record("long"), zigzag(2**63 - 1), '{"f0":9223372036854775807}'),
        (record("long"), zigzag(-(2**63)), '{"f0":-9223372036854775808}'),
        (record("long"), b"\x80\x00", '{"f0":0}'),
        (record("int"), zigzag(-(2**31)), '{"f0":-2147483648}'),
        (record("float"), struct.pack("<f", 0.1), '{"f0":0.1}'),
        (record("float"), struct.pack("<f", 16777216), '{"f0":16777216.0}'),
        (record("float"), struct.pack("<f", 3.4028234663852886e38), '{"f0":3.4028235e+38}'),
        (record("float"), b"\x01\x00\x00\x00", '{"f0":1e-45}'),
        (record("float"), struct.pack("<f", math.nan), '{"f0":"NaN"}'),
        (record("double"), struct.pack("<d", 0.1 + 0.2), '{"f0":0.30000000000000004}'),
        (record("double"), struct.pack("<d", -0.0), '{"f0":-0.0}'),
        (record("double"), struct.pack("<d", 1e300), '{"f0":1e+300}'),
        (record("double"), struct.pack("<d", math.inf), '{"f0":"Infinity"}'),
        (record("double"), struct.pack("<d", -math.inf), '{"f0":"-Infinity"}'),
        (record("double"), struct.pack("<d", math.nan), '{"f0":"NaN"}'),
        (record("string"), b"\x08\xf0\x9f\x98\x80", '{"f0":"😀"}'),
        (record("bytes"), b"\x04\xff\x00", '{"f0":"/wA="}'),
        (record({"type": "fixed", "name": "F", "size": 2}, "n.F"), b"\xff\x00ab", '{"f0":"/wA=","f1":"YWI="}'),
        (record({"type": "fixed", "name": "F", "size": 0}), b"", None),
        (record({"type": "enum", "name": "E", "symbols": ["A", "B c"]}, "E"), b"\x02\x00", '{"f0":"B c","f1":"A"}'),
        (record(["long", "null"], ["long", "null"]), b"\x00\x02\x02", '{"f0":1,"f1":null}'),
        (record({"type": "array", "items": "int"}), b"\x04\x02\x04\x02\x06\x00", '{"f0":[1,2,3]}'),
        (record({"type": "array", "items": "int"}), b"\x03\x04\x02\x04\x00", '{"f0":[1,2]}'),
        (record({"type": "array", "items": "null"}), b"\x0a\x00", '{"f0":[null,null,null,null,null]}'),
        (record({"type": "map", "values": "int"}), b"\x04\x02b\x02\x02a\x04\x00", '{"f0":{"a":2,"b":1}}'),
        (
            record(
                {"type": "record", "name": "S", "fields": [{"name": "z", "type": "int"}, {"name": "a", "type": "int"}]}
            ),
            b"\x02\x04",
            '{"f0":{"a":2,"z":1}}',
        ),
        (LINKED, b"\x02\x02\x00", '{"n":{"n":{"n":null}}}'),
        (record({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}), b"\x02\x6e", '{"f0":1.10}'),
        (record({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}), b"\x02\xff", '{"f0":-0.01}'),
        (record({"type": "bytes", "logicalType": "decimal", "precision": 9}), b"\x00", '{"f0":0}'),
        (record({"type": "bytes", "logicalType": "decimal", "scale": -1}), b"\x02a", '{"f0":"YQ=="}'),
        (
            record({"type": "fixed", "name": "D", "size": 9, "logicalType": "decimal", "precision": 20, "scale": 1}),
            (2**64).to_bytes(9, "big"),
            '{"f0":1844674407370955161.6}',
        ),
        (record({"type": "int", "logicalType": "date"}), b"\x02", '{"f0":1}'),
        (record({"type": "long", "logicalType": "timestamp-millis"}), b"\x02", '{"f0":1}'),
        (record({"type": "string", "logicalType": "uuid"}), b"\x02x", '{"f0":"x"}'),
    ],
)
def test_read_avro(schema: str, value: bytes, row_image: str | None) -> None:
    assert read_avro(value, schema) == row_image
    assert read_avro(value, schema.encode()) == row_image


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (record("boolean"), b"\x02"),
        (record("long"), b"\x80"),
        (record("long"), b"\xff" * 9 + b"\x02"),
        (record("long"), b"\x80" * 10 + b"\x01"),
        (record("int"), zigzag(2**31)),
        (record("float"), b"\x00\x00\x00"),
        (record("double"), b"\x00" * 7),
        (record("string"), b"\x05abc"),
        (record("string"), b"\x08abc"),
        (record("string"), b"\x02\xff"),
        (record("bytes"), zigzag(2**62) + b"abc"),
        (record({"type": "fixed", "name": "F", "size": 2}), b"a"),
        (record({"type": "enum", "name": "E", "symbols": ["A"]}), b"\x01"),
        (record({"type": "enum", "name": "E", "symbols": ["A"]}), b"\x02"),
        (record(["null", "int"]), b"\x01\x02"),
        (record(["null", "int"]), b"\x04\x02"),
        (record({"type": "array", "items": "int"}), b"\x04\x02"),
        (record({"type": "array", "items": "null"}), zigzag(2**60) + b"\x00"),
        (record({"type": "array", "items": "null"}), zigzag(-(2**60)) + b"\x00\x00"),
        (record("int"), b"\x02\x02"),
        (LINKED, b"\x02" * 50_000 + b"\x00"),
        ('["int","string"]', b"\x00\x02"),
        ('"int"', b"\x02"),
        (record({"type": "bytes", "logicalType": "decimal"}), zigzag(5000) + b"\x7f" * 5000),
        ("", b"\x02"),
        ("{", b"\x02"),
        ("null", b"\x02"),
        (record("Unknown"), b"\x02"),
        (record({"type": "array"}), b"\x02"),
        (record({"type": "fixed", "name": "F"}), b"\x02"),
        (record({"type": "enum", "name": "E", "symbols": "AB"}), b"\x02"),
        ('{"type":"record","fields":[]}', b"\x02"),
        ('{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}', b"\x02\x02"),
        ('{"type":' * 5000 + '"int"' + "}" * 5000, b"\x02"),
    ],
)
def test_values_that_do_not_fit_are_errors(schema: str, value: bytes) -> None:
    for _ in range(2):  # a bad schema is remembered
        with pytest.raises(PayloadError) as error:
            read_avro(value, schema)
        assert error.value.code == "avro_unreadable"
        assert "Unknown" not in error.value.detail


def test_schemas_from_the_wild_are_taken() -> None:
    schema = """\ufeff{"type":"record","name":"a-b c","namespace":"1.2","meta":"pk=id","fields":[
        {"name":"odd name","type":["int","null"],"default":"does not fit","meta":7},
        {"name":"","type":{"type":["null",{"type":{"type":"string"}}]}},
        {"name":"e","type":{"type":"enum","name":"e e","symbols":["not a name","not a name"]}},
        {"name":"f","type":"e e"}]}"""
    assert read_avro(b"\x00\x02\x02\x02x\x02\x00", schema.encode()) == (
        '{"":"x","e":"not a name","f":"not a name","odd name":1}'
    )


@settings(max_examples=1000, deadline=None)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(2.0**-96)
@example(-(2.0**87))
@example(2.0**90)
@example(2.0**-149)
@example(3.4028234663852886e38)
def test_float_text_gives_the_number_back(number: float) -> None:
    assert struct.pack("<f", float(float_text(number))) == struct.pack("<f", number)
    assert Decimal(float_text(number)) == Decimal(str(np.float32(number)))


def primitive_pairs() -> st.SearchStrategy[tuple[Any, Any, Any]]:
    """Give types, values for fastavro and the values as JSON reads them."""

    def pairs(schema: object, values: st.SearchStrategy[Any], shown: Any = lambda value: value) -> Any:  # noqa: ANN401
        return values.map(lambda value: (schema, value, shown(value)))

    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    return st.one_of(
        pairs("null", st.none()),
        pairs("boolean", st.booleans()),
        pairs("int", st.integers(-(2**31), 2**31 - 1)),
        pairs("long", st.integers(-(2**63), 2**63 - 1)),
        pairs("float", st.floats(width=32, allow_nan=False, allow_infinity=False), lambda one: float(float_text(one))),
        pairs("double", st.floats(allow_nan=False, allow_infinity=False)),
        pairs("string", text),
        pairs("bytes", st.binary(max_size=5), lambda one: base64.b64encode(one).decode()),
        pairs(["null", "long"], st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))),
        pairs({"type": "array", "items": "string"}, st.lists(text, max_size=3)),
        pairs({"type": "map", "values": "long"}, st.dictionaries(text, st.integers(-9, 9), max_size=3)),
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(primitive_pairs(), min_size=1, max_size=6), st.data())
def test_values_written_by_fastavro_are_read(fields: list[tuple[Any, Any, Any]], data: st.DataObject) -> None:
    schema = record(*(one for one, _, _ in fields))
    written = io.BytesIO()
    row = {f"f{index}": value for index, (_, value, _) in enumerate(fields)}
    fastavro.schemaless_writer(written, json.loads(schema), row)
    value = written.getvalue()
    shown = {f"f{index}": one for index, (_, _, one) in enumerate(fields)}
    if not value:
        assert read_avro(value, schema) is None
        return
    image = read_avro(value, schema)
    assert image is not None
    assert json.loads(image) == shown
    with pytest.raises(PayloadError):
        read_avro(value + b"\x00", schema)
    cut = data.draw(st.integers(1, len(value)))
    damaged = value[: cut - 1] + data.draw(st.binary(max_size=3)) + value[cut:]
    try:
        read_avro(damaged, schema)
    except PayloadError as error:
        assert error.code == "avro_unreadable"  # noqa: PT017 - damage may also give another right value
