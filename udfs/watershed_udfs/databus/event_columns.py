"""Events of many streams at once, as columns of numpy: no pyspark, no Arrow.

`stream.read_databus` is the reference. This module reads only ordinary events, with the same result in a fraction of
the time; streams with any other event are left to the reference (docs/decisions/0008).
"""

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from watershed_udfs.databus import event_v1, event_v2
from watershed_udfs.databus.crc import ALL_BITS

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Columns = dict[str, npt.NDArray[Any]]

FEWEST_STREAMS = 32
"""Fewer streams are left to the other decoder: a step over columns costs as much for one event as for these."""

MOST_BYTES = 2**31 - 1
"""Events after this many bytes are left over too: Arrow counts the bytes of a binary column in 32 bits."""

OPCODES = ("UPSERT", "DELETE", None)
UPSERT, DELETE, NO_OPCODE = range(3)
KEY_TYPES = ("long", "bytes", "string")
LONG, BYTES, STRING = range(3)

_MARKS = (">", "<")  # as numpy marks byte orders; `is_little` is the place

_COLUMNS = {
    # position of an event: its stream, its place in it, its bytes in the data
    "stream": "i8",
    "event_index": "i4",
    "start": "i8",
    "length": "i4",
    # content; opcode and key type are indexes into OPCODES and KEY_TYPES
    "is_little": "?",
    "version": "i4",
    "opcode": "i1",
    "key_type": "i1",
    "long_key": "i8",
    "key_start": "i8",
    "key_end": "i8",
    "sequence": "i8",
    "physical_partition": "i4",
    "logical_partition": "i4",
    "timestamp_nanos": "i8",
    "source_id": "i4",
    "schema_id": "16u1",
    "schema_version": "i4",
    "has_payload": "?",
    "value_start": "i8",
    "value_end": "i8",
    "is_replicated": "?",
    "is_traced": "?",
    # whether all checks passed
    "is_plain": "?",
}
_V1 = [("version", "u1"), ("header_crc", "u4"), ("length", "i4"), ("attributes", "u2"), ("sequence", "i8")]
_V1 += [("physical_partition", "i2"), ("logical_partition", "i2"), ("timestamp_nanos", "i8"), ("source_id", "i2")]
_V1 += [("schema_id", "16u1"), ("body_crc", "u4")]
_V2 = [("version", "u1"), ("magic", "u4"), ("header_length", "i4"), ("header_crc", "u4"), ("body_crc", "u4")]
_V2 += [("length", "i4"), ("attributes", "u2"), ("timestamp_nanos", "i8"), ("source_id", "i4"), ("partition", "i2")]
_V2 += [("sequence", "i8")]
_PART = [("size", "i4"), ("attributes", "i2"), ("digest", "16u1")]
_V1_HEADERS = [np.dtype(_V1).newbyteorder(mark) for mark in _MARKS]  # type: ignore[arg-type]
_V2_HEADERS = [np.dtype(_V2).newbyteorder(mark) for mark in _MARKS]  # type: ignore[arg-type]
_PARTS = [np.dtype(_PART).newbyteorder(mark) for mark in _MARKS]  # type: ignore[arg-type]
_INTS = [np.dtype(mark + "i4") for mark in _MARKS]
_LONGS = [np.dtype(mark + "i8") for mark in _MARKS]
_BYTE = np.dtype("u1")
_V2_MAGIC_START, _V2_LENGTH_START = 1, 17
_V2_LONG, _V2_TEXT = 1, 2
_DIGEST_BITS, _DIGEST_WIDTH = 0x03, 2

_MIX = np.uint64(0x9E3779B97F4A7C15)  # any odd number without a pattern
_TAILS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)


def read_plain_streams(data: bytes, starts: Ints, ends: Ints) -> tuple[Columns, Bools]:
    """Read the streams that contain only plain events.

    Args:
        data: the bytes of all streams.
        starts: where each of n streams starts in them, in order.
        ends: where each ends.

    Returns:
        The events of these streams, in order, and which of the n streams are left over.
    """
    events, is_left = _find_events(data, starts, ends)
    events["version"][:] = _read(data, _BYTE, events["start"])
    for version, read in ((event_v1.VERSION_BYTE, _read_v1), (event_v2.VERSION_BYTE, _read_v2)):
        for is_little in (False, True):
            of_kind = (events["version"] == version) & (events["is_little"] == is_little)
            read(data, is_little, events, np.flatnonzero(of_kind))
    is_left[events["stream"][~events["is_plain"]]] = True
    events = _without(events, is_left)
    is_left[_streams_that_may_repeat(data, events)] = True
    return _without(events, is_left), is_left


def _find_events(data: bytes, starts: Ints, ends: Ints) -> tuple[Columns, Bools]:
    """Step from event to event in all streams together, using only their lengths."""
    is_left = (starts >= ends) | (ends > MOST_BYTES)
    rounds: list[list[npt.NDArray[Any]]] = []
    streams = np.flatnonzero(~is_left)
    positions = starts[streams]
    while len(streams):
        lengths, is_little = _find_lengths(data, positions, ends[streams])
        is_found = (lengths > 0) & (len(streams) >= FEWEST_STREAMS)
        is_left[streams[~is_found]] = True
        columns = (streams, np.full(len(streams), len(rounds)), positions, lengths, is_little)
        rounds.append([column[is_found] for column in columns])
        has_more = is_found & (positions + lengths < ends[streams])
        streams, positions = streams[has_more], (positions + lengths)[has_more]
    return _columns(rounds, is_left), is_left


def _columns(rounds: list[list[npt.NDArray[Any]]], is_left: Bools) -> Columns:
    """Sort the events of all rounds by stream, without those of streams that are left over."""
    found = [np.concatenate(column) for column in zip(*rounds, strict=True)] or [np.zeros(0, np.int64)] * 5
    order = np.argsort(found[0], kind="stable")
    order = order[~is_left[found[0][order]]]
    events: Columns = {name: np.zeros(len(order), layout) for name, layout in _COLUMNS.items()}
    for name, column in zip(("stream", "event_index", "start", "length", "is_little"), found, strict=True):
        events[name][:] = column[order]
    return events


def _without(events: Columns, is_left: Bools) -> Columns:
    chosen = ~is_left[events["stream"]]
    return events if chosen.all() else {name: column[chosen] for name, column in events.items()}


def _find_lengths(data: bytes, starts: Ints, ends: Ints) -> tuple[Ints, Bools]:
    """Give lengths and byte orders (little or not), by the same guess as `likely_order`; a length of 0 is none."""
    lengths, is_little = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.bool_)
    versions = _read(data, _BYTE, starts)
    for version, least, length_start, is_likely_little in (
        (event_v1.VERSION_BYTE, event_v1.BYTE_KEY_HEADER, event_v1.LENGTH_START, _is_little_v1),
        (event_v2.VERSION_BYTE, event_v2.MIN_HEADER, _V2_LENGTH_START, _is_little_v2),
    ):
        rows = np.flatnonzero((versions == version) & (ends - starts >= least))
        is_little[rows] = is_likely_little(data, starts[rows])
        found = _read(data, _INTS[0], starts[rows] + length_start)
        found = np.where(is_little[rows], found.byteswap(), found)
        lengths[rows] = np.where((found >= least) & (found <= (ends - starts)[rows]), found, 0)
    return lengths, is_little


def _is_little_v1(data: bytes, starts: Ints) -> Bools:
    first = starts + event_v1.LENGTH_START
    return np.asarray(_read(data, _BYTE, first) > _read(data, _BYTE, first + 3))


def _is_little_v2(data: bytes, starts: Ints) -> Bools:
    magic = int.from_bytes(event_v2.MAGIC, "little", signed=True)
    return np.asarray(_read(data, _INTS[0], starts + _V2_MAGIC_START) == magic)


def _read_v1(data: bytes, is_little: bool, events: Columns, rows: Ints) -> None:
    """Fill in the events of some rows, as `event_v1.read_v1` does, and whether they are plain."""
    header = _read(data, _V1_HEADERS[is_little], events["start"][rows])
    has_byte_key = header["attributes"] & event_v1.BYTE_KEY != 0
    header_length = np.where(has_byte_key, event_v1.BYTE_KEY_HEADER, event_v1.LONG_KEY_HEADER)
    fits = header_length <= events["length"][rows]
    if not fits.all():  # read again, because copying all columns would cost more if all fit
        _read_v1(data, is_little, events, rows[fits])
        return
    start = events["start"][rows]
    body, end = start + header_length, start + events["length"][rows]

    key_size = np.zeros(len(rows), np.int64)
    key_size[has_byte_key] = _read(data, _INTS[is_little], start[has_byte_key] + event_v1.KEY_START)
    is_plain = (key_size >= 0) & (key_size <= end - body)
    is_plain &= _sums(data, start + event_v1.CRC_START, body) == header["header_crc"]
    is_plain &= _sums(data, body, end) == header["body_crc"]

    long_rows = rows[~has_byte_key]
    events["long_key"][long_rows] = _read(data, _LONGS[is_little], start[~has_byte_key] + event_v1.KEY_START)
    events["key_type"][rows] = np.where(has_byte_key, BYTES, LONG)
    events["key_start"][rows], events["key_end"][rows] = body, body + key_size
    for name in ("sequence", "physical_partition", "logical_partition", "timestamp_nanos", "source_id", "schema_id"):
        events[name][rows] = header[name]
    events["opcode"][rows] = _opcodes(header["attributes"])
    events["has_payload"][rows] = True
    events["value_start"][rows], events["value_end"][rows] = body + key_size, end
    events["is_replicated"][rows] = header["attributes"] & event_v1.REPLICATED != 0
    events["is_traced"][rows] = header["attributes"] & event_v1.TRACE != 0
    events["is_plain"][rows] = is_plain


def _read_v2(data: bytes, is_little: bool, events: Columns, rows: Ints) -> None:
    """Fill in the events of some rows, as `event_v2.read_v2` does, and whether they are plain.

    Plain are those whose key is a number or a text, without metadata, with a payload of an MD5 or without any.
    """
    header = _read(data, _V2_HEADERS[is_little], events["start"][rows])
    key_type = header["attributes"] >> event_v2.KEY_TYPE_SHIFT & event_v2.KEY_TYPE_BITS
    has_payload = header["attributes"] & event_v2.HAS_PAYLOAD != 0
    key_start = event_v2.KEY_START + np.where(key_type == _V2_LONG, _LONGS[0].itemsize, _INTS[0].itemsize)
    fits = (key_start <= header["header_length"]) & (header["header_length"] <= events["length"][rows])
    fits &= header["header_length"] + np.where(has_payload, _PARTS[0].itemsize, 0) <= events["length"][rows]
    fits &= (key_type == _V2_LONG) | (key_type == _V2_TEXT)
    fits &= header["attributes"] & event_v2.HAS_METADATA == 0
    if not fits.all():  # read again, because copying all columns would cost more if all fit
        _read_v2(data, is_little, events, rows[fits])
        return
    start = events["start"][rows]
    body, end = start + header["header_length"], start + events["length"][rows]
    key_start, is_text = start + key_start, key_type == _V2_TEXT

    key_size = np.zeros(len(rows), np.int64)
    key_size[is_text] = _read(data, _INTS[is_little], start[is_text] + event_v2.KEY_START)
    is_plain = (key_size >= 0) & (key_size <= body - key_start)
    is_plain &= _sums(data, start + event_v2.CRC_START, body) == header["header_crc"]
    is_plain &= _sums(data, body, end) == header["body_crc"]

    long_rows = rows[~is_text]
    events["long_key"][long_rows] = _read(data, _LONGS[is_little], start[~is_text] + event_v2.KEY_START)
    events["key_type"][rows] = np.where(is_text, STRING, LONG)
    events["key_start"][rows], events["key_end"][rows] = key_start, key_start + key_size
    events["value_start"][rows], events["value_end"][rows] = end, end
    for name in ("sequence", "timestamp_nanos", "source_id"):
        events[name][rows] = header[name]
    events["physical_partition"][rows] = events["logical_partition"][rows] = header["partition"]
    events["opcode"][rows] = _opcodes(header["attributes"])
    events["is_replicated"][rows] = header["attributes"] & event_v2.REPLICATED != 0
    events["is_traced"][rows] = header["attributes"] & event_v2.TRACE != 0
    events["is_plain"][rows] = is_plain
    _read_payloads(data, is_little, events, rows[has_payload], body[has_payload])


def _read_payloads(data: bytes, is_little: bool, events: Columns, rows: Ints, starts: Ints) -> None:
    """Fill in the payloads of events of version 2, which start at `starts`."""
    part = _read(data, _PARTS[is_little], starts)
    value_start = starts + _PARTS[0].itemsize
    room = events["start"][rows] + events["length"][rows] - value_start
    has_md5 = part["attributes"] & _DIGEST_BITS == 0
    events["is_plain"][rows] &= has_md5 & (part["size"] >= 0) & (part["size"] <= room)
    events["has_payload"][rows] = True
    events["schema_id"][rows] = part["digest"]
    events["schema_version"][rows] = part["attributes"] >> _DIGEST_WIDTH
    events["value_start"][rows], events["value_end"][rows] = value_start, value_start + part["size"]


def _streams_that_may_repeat(data: bytes, events: Columns) -> Ints:
    """Return the streams in which two events may have equal content, as defined by `_count_occurrences`.

    Events of equal content have the same hash; a collision only costs some time.
    """
    is_next = events["event_index"] > 0
    if not is_next.any():
        return np.zeros(0, np.int64)
    key_size = events["key_end"] - events["key_start"]
    key_tail = _read(data, np.dtype(">u8"), events["key_end"] - 8) & _TAILS[np.minimum(key_size, 8)]
    mark = events["stream"].astype(np.uint64) * _MIX
    for name in ("sequence", "source_id", "long_key"):
        mark = (mark ^ events[name].astype(np.int64).view(np.uint64)) * _MIX
    mark ^= key_tail
    order = np.argsort(mark)
    is_same = mark[order[1:]] == mark[order[:-1]]
    return np.asarray(events["stream"][order[1:][is_same]])


def _opcodes(attributes: npt.NDArray[np.uint16]) -> npt.NDArray[np.int64]:
    is_delete = attributes & event_v1.DELETE != 0
    return np.where(attributes & event_v1.UPSERT != 0, UPSERT, np.where(is_delete, DELETE, NO_OPCODE))


def _read(data: bytes, layout: np.dtype[Any], starts: Ints) -> npt.NDArray[Any]:
    """Copy one record per position. Each must be inside the data: numpy raises an IndexError beyond its end."""
    places = max(0, len(data) - layout.itemsize + 1)
    return np.ndarray((places,), layout, data, strides=(1,))[starts]


def _sums(data: bytes, starts: Ints, ends: Ints) -> npt.NDArray[np.uint32]:
    """Sum n spans as `databus_crc` does; zlib is called directly, because this takes most of the time."""
    sum_of, all_bits = zlib.crc32, ALL_BITS
    sums = [sum_of(data[start:end], all_bits) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return np.array(sums, np.uint32) ^ np.uint32(all_bits)
