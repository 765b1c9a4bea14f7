"""The Arrow wrappers of the Databus functions: nulls, slices, types, and errors next to results."""

import pyarrow as pa
import pytest
from databus_events import write_v1
from watershed_udfs import arrow_databus, arrow_events
from watershed_udfs.databus.event import Event
from watershed_udfs.databus.stream import read_databus

EVENT = Event(0, 0, 0, "big", "UPSERT", "long", None, 7, 1, 2, 3, 40, "ab" * 16, value=b"v")
DATA = write_v1(EVENT, 9007199254740993)
VALUES = [DATA * 2, None, b"", DATA + b"\x01", b"!", DATA[:-1]]
SCHEMA = '{"type":"record","name":"R","fields":[{"name":"a","type":"long"}]}'
NOT_UTF8 = pa.array([b"\xff"]).view(pa.string())


@pytest.mark.parametrize("binary", [pa.binary(), pa.large_binary()])
def test_read_databus_column_gives_the_events_of_each_value(binary: pa.DataType) -> None:
    values = pa.array(VALUES, binary)
    expected = [[event._asdict() for event in read_databus(value)] for value in VALUES]
    column = arrow_databus.read_databus_column(values)
    assert column.to_pylist() == expected
    assert arrow_databus.read_databus_column(values.slice(1, 3)).to_pylist() == expected[1:4]
    assert [len(events) for events in expected] == [2, 1, 1, 2, 1, 1]
    empty = arrow_databus.read_databus_column(values.slice(6))
    assert (len(empty), empty.type) == (0, column.type)


def test_read_databus_column_has_the_fields_of_an_event() -> None:
    assert list(arrow_events.EVENT_TYPES) == list(Event._fields)


def test_read_databus_column_takes_the_extremes() -> None:
    low, high = -(2**63), 2**63 - 1
    event = EVENT._replace(sequence=low, timestamp_nanos=high, source_id=-(2**15), physical_partition=2**15 - 1)
    ((row,),) = arrow_databus.read_databus_column(pa.array([write_v1(event, low)])).to_pylist()
    assert (row["sequence"], row["timestamp_nanos"], row["message_key"]) == (low, high, f'{{"key":{low}}}')
    assert (row["source_id"], row["physical_partition"]) == (-(2**15), 2**15 - 1)


def test_name_key_column_takes_nulls_and_slices() -> None:
    message_keys = pa.array(['{"key":"a\\tb"}', None, '{"key":5}', "x"])
    names = pa.array([["b", "a"], ["a"], None, ["a"]])
    assert arrow_databus.name_key_column(message_keys, names).to_pylist() == [
        '{"a":"b","b":"a"}',
        None,
        '{"key":5}',
        None,
    ]
    assert arrow_databus.name_key_column(message_keys.slice(2), names.slice(2)).to_pylist() == ['{"key":5}', None]
    assert arrow_databus.name_key_column(message_keys, pa.nulls(4)).to_pylist() == message_keys.to_pylist()
    assert arrow_databus.name_key_column(NOT_UTF8, pa.array([["a"]])).to_pylist() == [None]


def test_read_avro_column_gives_an_image_or_an_error() -> None:
    values = pa.array([b"\x02", None, b"\x02", b"", b"\x02\x02", b"\x02"])
    schemas = pa.array([SCHEMA, SCHEMA, None, SCHEMA, SCHEMA, "{"])
    rows = arrow_databus.read_avro_column(values, schemas).to_pylist()
    nothing = {"row_image": None, "error_code": None, "error_detail": None}
    assert rows[0] == nothing | {"row_image": '{"a":1}'}
    assert rows[1:4] == [nothing] * 3
    errors = ["the record ends at byte 1 of 2", "the schema is no JSON text"]
    assert rows[4:] == [nothing | {"error_code": "avro_unreadable", "error_detail": error} for error in errors]
    assert arrow_databus.read_avro_column(pa.nulls(1), pa.nulls(1)).to_pylist() == [nothing]
    (row,) = arrow_databus.read_avro_column(pa.array([b"\x02"]), NOT_UTF8).to_pylist()
    assert row["error_code"] == "avro_unreadable"
