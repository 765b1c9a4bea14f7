"""Arrow wrappers of the Databus functions: whole columns in and out, bad data as error fields."""

import pyarrow as pa

from watershed_udfs.arrow import Failure, bytes_of, names_of, outcome
from watershed_udfs.databus import avro_values, keys, stream
from watershed_udfs.databus.event import Event

EVENT_TYPES = {
    "event_index": pa.int32(),
    "occurrence": pa.int32(),
    "version": pa.int32(),
    "byte_order": pa.string(),
    "opcode": pa.string(),
    "key_type": pa.string(),
    "message_key": pa.string(),
    "sequence": pa.int64(),
    "physical_partition": pa.int32(),
    "logical_partition": pa.int32(),
    "timestamp_nanos": pa.int64(),
    "source_id": pa.int32(),
    "schema_id": pa.string(),
    "schema_version": pa.int32(),
    "value": pa.binary(),
    "is_replicated": pa.bool_(),
    "is_traced": pa.bool_(),
    "byte_offset": pa.int32(),
    "byte_length": pa.int32(),
    "error_code": pa.string(),
    "error_detail": pa.string(),
}


def read_databus_column(values: pa.Array) -> pa.Array:
    """Read n values into n lists of event structs, at least one each; a null value is one event `empty_value`."""
    events: list[Event] = []
    offsets = [0]
    for value in bytes_of(values):
        events += stream.read_databus(value)
        offsets.append(len(events))
    columns = zip(*events, strict=True) if events else [()] * len(EVENT_TYPES)
    arrays = [pa.array(column, column_type) for column, column_type in zip(columns, EVENT_TYPES.values(), strict=True)]
    structs = pa.StructArray.from_arrays(arrays, names=list(EVENT_TYPES))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)


def name_key_column(message_keys: pa.Array, names: pa.Array) -> pa.Array:
    """Name the keys of n events by n lists of names into n texts; null in, null out."""
    rows = zip(bytes_of(message_keys), names_of(names), strict=True)
    return pa.array([keys.name_key(key, one) for key, one in rows], pa.string())


def read_avro_column(values: pa.Array, writer_schemas: pa.Array) -> pa.Array:
    """Read n Avro values by n schemas into n structs (row_image, error_code, error_detail); null gives three nulls."""
    images: list[str | None] = []
    failures: list[Failure | None] = []
    for value, schema in zip(bytes_of(values), bytes_of(writer_schemas), strict=True):
        image, failure = (
            (None, None) if value is None or schema is None else outcome(avro_values.read_avro, value, schema)
        )
        images.append(image)
        failures.append(failure)
    codes = pa.array([failure and failure[0] for failure in failures], pa.string())
    details = pa.array([failure and failure[1] for failure in failures], pa.string())
    return pa.StructArray.from_arrays(
        [pa.array(images, pa.string()), codes, details], names=["row_image", "error_code", "error_detail"]
    )
