"""Databus events as Arrow structs, from columns and from single events."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watershed_udfs.databus import event_v1
from watershed_udfs.databus.event import Event, text_key
from watershed_udfs.databus.event_columns import KEY_TYPES, LONG, OPCODES, Bools, Columns, Ints

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

BYTE_ORDERS = ("big", "little")
_AS_THEY_ARE = (
    *("event_index", "version", "sequence", "physical_partition", "logical_partition", "timestamp_nanos"),
    *("source_id", "is_replicated", "is_traced"),
)
_HEX_DIGITS = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), np.uint16)
_TAB = ord("\t")
# Bytes that JSON text must escape, and those that may not be UTF-8. Tabs separate the parts of a key.
_IS_UNUSUAL = np.array([byte < 0x20 or byte > 0x7E or chr(byte) in '"\\' for byte in range(256)])
_IS_UNUSUAL[_TAB] = False


def structs_of_events(events: Sequence[Event]) -> pa.StructArray:
    """Return n structs for n single events."""
    columns = zip(*events, strict=True) if events else [()] * len(EVENT_TYPES)
    arrays = [pa.array(column, column_type) for column, column_type in zip(columns, EVENT_TYPES.values(), strict=True)]
    return pa.StructArray.from_arrays(arrays, names=list(EVENT_TYPES))


def structs_of_columns(data: bytes, starts: Ints, events: Columns) -> pa.StructArray:
    """Return n structs for n plain events, which are in the order of their bytes.

    Args:
        data: the bytes of all streams.
        starts: where each stream starts in them.
        events: their columns.
    """
    count = len(events["stream"])
    has_version = (events["version"] != event_v1.VERSION_BYTE) & events["has_payload"]
    arrays = {name: pa.array(events[name]) for name in _AS_THEY_ARE} | {
        "occurrence": pa.array(np.zeros(count, np.int32)),
        "byte_order": _words(BYTE_ORDERS, events["is_little"].view(np.int8)),
        "opcode": _words(OPCODES, events["opcode"]),
        "key_type": _words(KEY_TYPES, events["key_type"]),
        "message_key": _message_keys(data, events),
        "schema_id": _hex_texts(events["schema_id"]),
        "schema_version": pa.array(events["schema_version"], mask=~has_version),
        "value": _spans(data, events["value_start"], events["value_end"], is_null=~events["has_payload"]),
        "byte_offset": pa.array((events["start"] - starts[events["stream"]]).astype(np.int32)),
        "byte_length": pa.array(events["length"]),
    }
    nothing = pa.nulls(count, pa.string())
    return pa.StructArray.from_arrays([arrays.get(name, nothing) for name in EVENT_TYPES], names=list(EVENT_TYPES))


def _words(words: Sequence[str | None], places: npt.NDArray[np.int8]) -> pa.Array:
    return pa.array(words, pa.string()).take(pa.array(places))


def _spans(data: bytes, starts: Ints, ends: Ints, is_null: Bools | None = None) -> pa.Array:
    """Copy n consecutive spans of the data out of an array of these spans and the gaps between them."""
    bounds = np.zeros(2 * len(starts) + 1, np.int32)
    bounds[:-1:2], bounds[1::2] = starts, ends
    bounds[-1] = bounds[-2] if len(starts) else 0
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    spans_and_gaps = pa.Array.from_buffers(pa.binary(), len(bounds) - 1, buffers)
    return spans_and_gaps.take(pa.array(np.arange(0, len(bounds) - 1, 2), mask=is_null))


def _hex_texts(ids: npt.NDArray[np.uint8]) -> pa.Array:
    """Write n ids as texts; one of zeros is null."""
    digits = _HEX_DIGITS[ids]
    bounds = np.arange(len(ids) + 1, dtype=np.int32) * 2 * ids.shape[1]
    is_known = pa.py_buffer(np.packbits(ids.any(axis=1), bitorder="little"))
    return pa.Array.from_buffers(pa.string(), len(ids), [is_known, pa.py_buffer(bounds), pa.py_buffer(digits)])


def _message_keys(data: bytes, events: Columns) -> pa.Array:
    is_text = events["key_type"] != LONG
    numbers = pa.array(events["long_key"][~is_text]).cast(pa.string())
    keys = pa.chunked_array(
        [
            pc.binary_join_element_wise('{"key":', numbers, "}", ""),
            _text_keys(_spans(data, events["key_start"][is_text], events["key_end"][is_text])),
        ]
    )
    places = np.where(is_text, len(numbers) + np.cumsum(is_text), np.cumsum(~is_text)) - 1
    return keys.combine_chunks().take(pa.array(places))


def _text_keys(keys: pa.Array) -> pa.Array:
    """Write n keys as `text_key` does."""
    escaped = pc.replace_substring(keys, b"\t", b"\\t")
    texts = pc.binary_join_element_wise(b'{"key":"', escaped, b'"}', b"")
    _, bounds, content = keys.buffers()
    unusual = np.flatnonzero(_IS_UNUSUAL[np.frombuffer(content or b"", np.uint8)])
    if len(unusual):
        is_unusual = np.zeros(len(keys), np.bool_)
        is_unusual[np.searchsorted(np.frombuffer(bounds, np.int32)[: len(keys) + 1], unusual, side="right") - 1] = True
        written = [text_key(key).encode() for key in keys.filter(pa.array(is_unusual)).to_pylist()]
        texts = pc.replace_with_mask(texts, pa.array(is_unusual), pa.array(written, pa.binary()))
    return texts.view(pa.string())
