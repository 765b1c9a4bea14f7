"""What docs/limits.md promises of single values: time and memory, whatever the bytes and the schema are."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable
from typing import Any

import java_side
import pyarrow as pa
import pytest
from java_side import open_json
from watershed_udfs import too_large
from watershed_udfs.arrow_databus import read_avro_column, read_avro_fields_column, read_databus_column
from watershed_udfs.databus.avro_values import read_avro
from watershed_udfs.errors import PayloadError
from watershed_udfs.remembered import remembered
from watershed_udfs.row_key import name_parts

MEGABYTE = 1_000_000
MOST_SECONDS, MOST_MEGABYTES = 2.0, 200


def record(*types: object, name: str = "R") -> dict[str, Any]:
    fields = [{"name": f"f{index}", "type": one} for index, one in enumerate(types)]
    return {"type": "record", "name": name, "fields": fields}


def array(items: object) -> dict[str, Any]:
    return {"type": "array", "items": items}


def decimal(kind: dict[str, Any], scale: int) -> dict[str, Any]:
    return kind | {"logicalType": "decimal", "scale": scale}


def zigzag(number: int) -> bytes:
    number, written = number << 1, bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def items(count: int, item: bytes) -> bytes:
    return zigzag(count) + item * count + b"\0"


def each_used_twice(depth: int) -> dict[str, Any]:
    schema = record("null", name="R0")
    for level in range(1, depth):
        schema = record(schema, f"R{level - 1}", name=f"R{level}")
    return schema


FIXED = {"type": "fixed", "name": "F", "size": 0}
LONG_SYMBOL = {"type": "enum", "name": "E", "symbols": ["x" * 100_000]}
REFUSED = {
    "blocks of nulls": (b"\xd0\x0f" * 100_000 + b"\0", record(array("null"))),
    "empty records": (items(10**7, b""), record(array(record(name="E")))),
    "fixed of no bytes": (items(10**7, b""), record(array(FIXED))),
    "decimals of no bytes": (items(10**6, b""), record(array(decimal(FIXED, 1000)))),
    "records of a thousand nulls": (items(10**6, b""), record(array(record(*["null"] * 1000, name="T")))),
    "decimals of scale 1000": (items(MEGABYTE, b"\0"), record(array(decimal({"type": "bytes"}, 1000)))),
    "symbols of 100 KB": (items(MEGABYTE, b"\0"), record(array(LONG_SYMBOL))),
    "24 records each used twice": (b"\0", each_used_twice(24)),
    "records of one byte": (items(MEGABYTE, b"\2"), record(array(record("int", name="I")))),
}
READ = {
    "ints": (items(MEGABYTE - 10, b"\2"), record(array("int"))),
    "empty maps": (items(MEGABYTE - 10, b"\0"), record(array({"type": "map", "values": "int"}))),
    "arrays of one int": (items(MEGABYTE // 3, b"\2\2\0"), record(array(array("int")))),
    "texts of two letters": (items(MEGABYTE // 3, b"\4ab"), record(array("string"))),
    "decimals of scale 20": (items(MEGABYTE // 3, b"\2\1"), record(array(decimal({"type": "bytes"}, 20)))),
    "control characters": (zigzag(MEGABYTE) + b"\0" * MEGABYTE, record("string")),
}


def cost_of(function: Callable[[], object]) -> tuple[float, int, str]:
    """Return processor seconds, additional megabytes and the result of a function in a separate process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        try:
            outcome = type(function()).__name__
        except PayloadError as error:
            outcome = f"{error.code}: {error.detail}"
        seconds = time.process_time() - start
        megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        os.write(writing, json.dumps([seconds, megabytes, outcome]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        seconds, megabytes, outcome = json.loads(answer.read())
    os.waitpid(child, 0)
    return seconds, megabytes, outcome


@pytest.mark.parametrize("name", [*REFUSED, *READ])
def test_no_avro_value_under_a_megabyte_takes_more_than_two_seconds_or_200_mb(name: str) -> None:
    value, schema = (REFUSED | READ)[name]
    seconds, megabytes, outcome = cost_of(lambda: read_avro(value, json.dumps(schema)))
    if name in REFUSED:
        assert outcome.startswith("avro_unreadable: more items and text than a value of its size may hold")
    else:
        assert outcome == "str"
    assert seconds < 2 * MOST_SECONDS  # the promise is for a core that does nothing else
    assert megabytes < MOST_MEGABYTES


def test_the_budget_is_that_of_one_value() -> None:
    value, schema = items(200_000, b"\2"), json.dumps(record(array("int")))
    values = pa.array([value] * 20, pa.binary())
    results = read_avro_column(values, pa.array([schema] * 20)).to_pylist()
    assert {one["error_code"] for one in results} == {None}


@pytest.mark.parametrize(
    "schema",
    [
        record() | {"fields": 5},
        record() | {"fields": True},
        record() | {"fields": None},
        record({"type": "record", "name": "Q", "fields": 5}),
        {"type": "record", "name": "R", "fields": [{"name": "\ud800", "type": "int", "default": 1}]},
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int", "aliases": ["\ud800"]}]},
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": "double", "default": 10**400}]},
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": ["float", "null"], "default": 10**400}]},
    ],
)
def test_no_stored_schema_stops_a_build(schema: dict[str, Any]) -> None:
    text = json.dumps(schema)
    assert read_avro_fields_column(pa.array([text])).to_pylist() == [[]]
    (result,) = read_avro_column(pa.array([b"\2\0"]), pa.array([text])).to_pylist()
    assert result["error_code"] == "avro_unreadable"


def test_long_texts_are_not_cached() -> None:
    computed: list[int] = []

    @remembered(most_bytes=10_000, most_bytes_of_one=2_000, size_of=lambda number: 1_000 + number // 1_000)
    def negated(number: int) -> int:
        computed.append(number)
        return -number

    for number in range(1, 101):
        assert (negated(number), negated(number)) == (-number, -number)
    assert computed == list(range(1, 101)), "each was computed once"
    for number in range(100, 0, -1):
        negated(number)
    assert 1 <= 200 - len(computed) <= 6, "only some of the last are kept"
    computed.clear()
    assert (negated(1_000_000), negated(1_000_000)) == (-1_000_000, -1_000_000)
    assert computed == [1_000_000] * 2, "the long one is not kept"


def distinct_keys() -> None:
    for number in range(60):
        name_parts(tuple(f"name_{number}_{column}" for column in range(10_000)))


def distinct_avro_schemas() -> None:
    for number in range(60):
        long_schema = record("int") | {"doc": f"{number}" + "x" * MEGABYTE}
        read_avro(b"\2", json.dumps(long_schema))


@pytest.mark.parametrize("read", [distinct_keys, distinct_avro_schemas])
def test_caches_hold_few_bytes_however_long_their_texts_are(read: Callable[[], None]) -> None:
    assert cost_of(read)[1] < 60


def test_a_value_too_large_is_refused_by_its_size_and_by_its_mark() -> None:
    large = b'"' + b"x" * too_large.MAX_VALUE_BYTES + b'"'
    mark = too_large.MARK + b"400000000"
    members = '[["a","text"]]'
    details = []
    for value in (large, mark):
        with pytest.raises(PayloadError) as caught:
            open_json(value, members)
        assert caught.value.code == "value_too_large"
        details.append(caught.value.detail)
    assert details[1] == "400000000 bytes; no more than 33554432 are opened"
    streams = read_databus_column(pa.array([large, mark], pa.binary())).to_pylist()
    assert [[event["error_code"] for event in one] for one in streams] == [["value_too_large"]] * 2


@pytest.mark.parametrize("tail", [b"", b"x", b"1" * 11, "\u0661".encode()])
def test_what_only_looks_like_the_mark_is_no_utf8(tail: bytes) -> None:
    with pytest.raises(PayloadError) as caught:
        open_json(too_large.MARK + tail, '[["a","text"]]')
    assert caught.value.code == "invalid_utf8"


def test_the_worst_json_takes_less_than_twenty_times_its_size() -> None:
    """Empty arrays inside arrays, two bytes each, in a message of the largest size that is opened."""
    heap = 20 * too_large.MAX_VALUE_BYTES // 2**20
    parts = '{"b":2,"a":[', "[[]],", too_large.MAX_VALUE_BYTES // 5 - 10, "[]]}"
    called = java_side.start(f"-Xmx{heap}m").watershed.tests.Called
    assert called.openRepeated(*parts, '[["a","any"]]') == f"{5 * parts[2] + 4} bytes"
    assert called.openRepeated(*parts, '[["","any"]]') == f"{5 * parts[2] + 16} bytes"
    assert called.openRepeated('{"a":', "[", 1_000_000, "", '[["a","any"]]') == "malformed_json"
