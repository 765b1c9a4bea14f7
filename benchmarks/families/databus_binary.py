"""Databus, version 1 in binary: one event per message, with the values and keys of the JSON form."""

from __future__ import annotations

import base64
import struct

from watershed_udfs.databus.crc import databus_crc

from benchmarks.change_log import Change
from benchmarks.families import databus_json
from benchmarks.families.common import Family, key_names, key_number, key_texts

DETAILS_LENGTH = 380
_UPSERT, _DELETE, _BYTE_KEY = 1, 2, 8


def write_v1(fields: tuple[int, ...], schema_id: bytes, key: int | bytes, value: bytes) -> bytes:
    """Return one event.

    Args:
        fields: Attributes without the kind of the key, sequence, physical and logical partition, time in ns, source.
        schema_id: 16 bytes.
        key: A long or bytes.
        value: The Avro value.
    """
    attributes, *others = fields
    if isinstance(key, bytes):
        attributes |= _BYTE_KEY
        key_part, body = struct.pack(">i", len(key)), key + value
    else:
        key_part, body = struct.pack(">q", key), value
    header = struct.pack(">iHqhhqh", 53 + len(key_part) + len(body), attributes, *others)
    header += schema_id + struct.pack(">I", databus_crc(body)) + key_part
    return b"\x00" + struct.pack(">I", databus_crc(header)) + header + body


def message(change: Change) -> bytes:
    """Return a change as one event."""
    row = change.row
    key: int | bytes = key_number(row)
    if len(key_names(row)) > 1:
        key = "\t".join(key_texts(row)).encode()
    fields = (
        _DELETE if change.operation == "delete" else _UPSERT,
        databus_json.FIRST_SCN + change.serial,
        1,
        row.partition,
        change.millis * 1_000_000,
        databus_json.FIRST_SOURCE + row.table.number,
    )
    schema_id = base64.b64decode(databus_json.schema_id(row.table.is_composite))
    return write_v1(fields, schema_id, key, databus_json.avro_value(change))


FAMILY = Family(lambda row: databus_json.image(row, DETAILS_LENGTH), message, None, b"")
