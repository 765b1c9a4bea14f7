"""Avro schemas as written by Java, and Databus attributes in them."""

import json

import pytest
from watershed_udfs.databus.avro_schemas import java_double, key_columns_of, schema_ids, schema_text
from watershed_udfs.errors import PayloadError


@pytest.mark.parametrize(
    ("schema", "java_text"),
    [
        ('"string"', '"string"'),
        (' {"type" : "int"} ', '"int"'),
        ('{"logicalType":"date","type":"int"}', '{"type":"int","logicalType":"date"}'),
        ('{"doc":"x","type":"int"}', '"int"'),
        ('[ "null", {"type":"long"} ]', '["null","long"]'),
        ('{"p":1,"items":"int","type":"array"}', '{"type":"array","items":"int","p":1}'),
        (
            '{"values":{"type":"string","avro.java.string":"String"},"type":"map"}',
            '{"type":"map","values":{"type":"string","avro.java.string":"String"}}',
        ),
        (
            '{"aliases":["E","o.E"],"p":[1.50,{"b":null,"a":true}],"symbols":["A","B"],"doc":"d","default":"A",'
            '"name":"n.s.T","type":"enum"}',
            '{"type":"enum","name":"T","namespace":"n.s","doc":"d","symbols":["A","B"],"default":"A",'
            '"p":[1.5,{"b":null,"a":true}],"aliases":["E","o.E"]}',
        ),
        ('{"size":4,"name":"F","type":"fixed","namespace":""}', '{"type":"fixed","name":"F","size":4}'),
        (
            '{"type":"record","name":"R","namespace":"a.b","fields":['
            '{"type":{"type":"record","name":"S","fields":[{"name":"r","type":["null","a.b.R","S"]}]},"name":"s"},'
            '{"name":"t","type":{"type":"fixed","name":"T","namespace":"c","size":1}},'
            '{"name":"u","type":"c.T"},{"name":"v","type":{"type":"error","name":"V","namespace":"","fields":[]}},'
            '{"name":"w","type":"V"}]}',
            '{"type":"record","name":"R","namespace":"a.b","fields":['
            '{"name":"s","type":{"type":"record","name":"S","fields":[{"name":"r","type":["null","R","S"]}]}},'
            '{"name":"t","type":{"type":"fixed","name":"T","namespace":"c","size":1}},'
            '{"name":"u","type":"c.T"},{"name":"v","type":{"type":"error","name":"V","namespace":"","fields":[]}},'
            '{"name":"w","type":"V"}]}',
        ),
        (
            '{"fields":[{"x":"y","aliases":["b"],"order":"descending","default":1.0e10,"doc":"d","type":"double",'
            '"name":"a"},{"name":"c","type":["null","int"],"default":null,"order":"ascending"}],"name":"R","type":"record"}',
            '{"type":"record","name":"R","fields":[{"name":"a","type":"double","doc":"d","default":1.0E10,'
            '"order":"descending","aliases":["b"],"x":"y"},{"name":"c","type":["null","int"],"default":null}]}',
        ),
        (
            '{"type":"record","name":"R","doc":"\\u00e9\\u0001\\u001f\\n\\/\\"\\\\\\u007f","fields":[]}',
            '{"type":"record","name":"R","doc":"é\\u0001\\u001F\\n/\\"\\\\\x7f","fields":[]}',
        ),
    ],
)
def test_schema_text_is_that_of_java(schema: str, java_text: str) -> None:
    assert schema_text(schema) == java_text
    assert schema_text(java_text) == java_text
    assert schema_text(b"\xef\xbb\xbf" + schema.encode()) == java_text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.5, "1.5"),
        (0.001, "0.001"),
        (1e-4, "1.0E-4"),
        (1.25e-7, "1.25E-7"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-12345678.9, "-1.23456789E7"),
        (1e16, "1.0E16"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (123456789012345680.0, "1.2345678901234568E17"),
    ],
)
def test_java_double(number: float, text: str) -> None:
    assert java_double(number) == text
    assert float(text) == number


@pytest.mark.parametrize(
    "schema",
    [
        b"",
        b"{",
        b"\xff",
        b"null",
        b"{}",
        b'"Unknown"',
        b'{"type":"record","fields":[]}',
        b'{"type":"record","name":"R","fields":[{"type":"int"}]}',
        b'{"type":"record","name":"R","fields":[{"name":"a"}]}',
        b'{"type":"array"}',
        b"[" * 5000 + b"]" * 5000,
        b'{"type":' * 5000,
    ],
)
def test_invalid_schemas_have_no_ids(schema: bytes) -> None:
    with pytest.raises(PayloadError) as error:
        schema_ids(schema)
    assert error.value.code == "avro_unreadable"
    assert "Unknown" not in error.value.detail


@pytest.mark.parametrize(
    ("meta", "names"),
    [
        ("dbFieldName=P;pk=key", ["key"]),
        ("pk=id;", ["id"]),
        (" pk = a , b ;x=y", ["a", "b"]),
        ("pk=a,b", ["a", "b"]),
        ("dbFieldName=P", None),
        ("xpk=a", None),
        ("pk=", None),
        ("pk", None),
        ("", None),
        (7, None),
        (None, None),
    ],
)
def test_key_columns_of_reads_the_meta_attribute(meta: object, names: list[str] | None) -> None:
    assert key_columns_of(json.dumps({"type": "record", "name": "R", "meta": meta, "fields": []})) == names


def test_key_columns_of_takes_any_json() -> None:
    assert key_columns_of('["null"]') is None
    assert key_columns_of(b'{"type":"record"}') is None
    with pytest.raises(PayloadError):
        key_columns_of("{")
