"""Arrow wrappers of the Databus functions: whole columns in and out, bad data as error fields."""

import numpy as np
import pyarrow as pa

from watershed_udfs.arrow import Failure, bytes_of, names_of, outcome
from watershed_udfs.arrow_events import structs_of_columns, structs_of_events
from watershed_udfs.databus import avro_values, event_columns, keys, stream
from watershed_udfs.databus.avro_fields import read_avro_fields
from watershed_udfs.databus.event_columns import Ints


def read_databus_column(values: pa.Array) -> pa.Array:
    """Read n values into n lists of event structs, at least one each; a null value is one event `empty_value`.

    Plain streams are read as columns, all together, the others one by one (docs/decisions/0008).
    """
    data, starts, ends = _bytes_and_bounds(values)
    plain_events, is_left = event_columns.read_plain_streams(data, starts, ends)
    structs, streams = structs_of_columns(data, starts, plain_events), plain_events["stream"]
    if is_left.any():
        one_by_one = [stream.read_databus(value) for value in bytes_of(values.filter(pa.array(is_left)))]
        counts = [len(events) for events in one_by_one]
        streams = np.concatenate([streams, np.repeat(np.flatnonzero(is_left), counts)])
        structs = pa.concat_arrays([structs, structs_of_events([event for events in one_by_one for event in events])])
        structs = structs.take(pa.array(np.argsort(streams, kind="stable")))
    bounds = np.zeros(len(values) + 1, np.int32)
    np.cumsum(np.bincount(streams, minlength=len(values)), out=bounds[1:])
    return pa.ListArray.from_arrays(pa.array(bounds), structs)


def _bytes_and_bounds(values: pa.Array) -> tuple[bytes, Ints, Ints]:
    """Return the bytes of n values in one buffer, with the start and end of each; a null is empty."""
    is_large = pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type)
    values = values.cast(pa.large_binary() if is_large else pa.binary())
    _, offsets, content = values.buffers()
    bounds = np.frombuffer(offsets or bytes(8), np.int64 if is_large else np.int32)
    bounds = bounds[values.offset : values.offset + len(values) + 1].astype(np.int64)
    data = b"" if content is None else content.slice(bounds[0], bounds[-1] - bounds[0]).to_pybytes()
    starts, ends = bounds[:-1] - bounds[0], bounds[1:] - bounds[0]
    return data, starts, np.where(values.is_valid().to_numpy(zero_copy_only=False), ends, starts)


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


def read_avro_fields_column(schemas: pa.Array) -> pa.Array:
    """Read n schemas into n maps of fields (default_value, aliases); null in, null out."""
    maps = [
        None if schema is None else [(name, field._asdict()) for name, field in read_avro_fields(schema).items()]
        for schema in bytes_of(schemas)
    ]
    field_type = pa.struct({"default_value": pa.string(), "aliases": pa.list_(pa.string())})
    return pa.array(maps, pa.map_(pa.string(), field_type))
