"""Databus events for tests: a small writer of both versions, and hypothesis strategies of whole events."""

import struct
import zlib
from typing import Any

from hypothesis import strategies as st
from watershed_udfs.databus.event import ByteOrder, Event, base64_key, text_key

MARKS: dict[str, str] = {"big": ">", "little": "<"}
KEY_TYPES_V2 = {"long": 1, "string": 2, "schema": 3}
OPCODES = {None: 0, "UPSERT": 1, "DELETE": 2}


def crc(data: bytes) -> int:
    """Sum bit by bit: reflected polynomial, initial value 0, no final xor."""
    register = 0
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0xEDB88320 if register & 1 else 0)
    return register


def fast_crc(data: bytes) -> int:
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def write_v1(event: Event, key: int | bytes) -> bytes:
    """Write an event of version 1; its key type is that of `key`."""
    mark = MARKS[event.byte_order or "big"]
    is_bytes = isinstance(key, bytes)
    attributes = OPCODES[event.opcode] | bool(event.is_traced) << 2 | is_bytes << 3 | bool(event.is_replicated) << 8
    key_part = struct.pack(mark + "i", len(key)) if isinstance(key, bytes) else struct.pack(mark + "q", key)
    body = (key if isinstance(key, bytes) else b"") + (event.value or b"")
    places = (event.physical_partition, event.logical_partition, event.timestamp_nanos, event.source_id)
    length = 53 + len(key_part) + len(body)
    header = struct.pack(mark + "iHqhhqh", length, attributes, event.sequence, *places)
    header += bytes.fromhex(event.schema_id or "00" * 16) + struct.pack(mark + "I", fast_crc(body)) + key_part
    return b"\x00" + struct.pack(mark + "I", fast_crc(header)) + header + body


def write_part(mark: str, data: bytes, digest: bytes, schema_version: int) -> bytes:
    return struct.pack(mark + "ih", len(data), schema_version << 2 | (len(digest) == 4)) + digest + data


def write_v2(event: Event, key: int | bytes, metadata: bytes | None = None) -> bytes:
    """Write an event of version 2, with `metadata` as a part before the payload."""
    mark = MARKS[event.byte_order or "big"]
    assert event.key_type is not None
    if isinstance(key, int):
        key_part = struct.pack(mark + "q", key)
    elif event.key_type == "string":
        key_part = struct.pack(mark + "i", len(key)) + key
    else:
        key_part = write_part(mark, key, b"\x05\x06\x07\x08", 22)
    attributes = OPCODES[event.opcode] | KEY_TYPES_V2[event.key_type] << 2
    attributes |= bool(event.is_replicated) << 4 | bool(event.is_traced) << 5
    attributes |= (metadata is not None) << 6 | (event.value is not None) << 7
    body = b"" if metadata is None else write_part(mark, metadata, bytes(range(16)), 12)
    if event.value is not None:
        body += write_part(mark, event.value, bytes.fromhex(event.schema_id or "00" * 16), event.schema_version or 0)
    header_length = 45 + len(key_part)
    places = (event.timestamp_nanos, event.source_id, event.physical_partition, event.sequence)
    header = struct.pack(mark + "IiHqihq", fast_crc(body), header_length + len(body), attributes, *places) + key_part
    return b"\x02" + struct.pack(mark + "IiI", 0xCAFEDEED, header_length, fast_crc(header)) + header + body


def signed(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


KEYS = st.one_of(signed(64), st.text(max_size=6).map(lambda text: text.encode(errors="replace")), st.binary(max_size=6))


@st.composite
def written_events(draw: st.DrawFn) -> tuple[Event, bytes]:
    """Give an event as it should be read (at index and offset 0), and its bytes."""
    version: int = draw(st.sampled_from([0, 2]))
    key: int | bytes = draw(KEYS)
    key_type: Any = (
        "long" if isinstance(key, int) else "bytes" if version == 0 else draw(st.sampled_from(["string", "schema"]))
    )
    order: ByteOrder = draw(st.sampled_from(["big", "little"]))
    opcode: Any = draw(st.sampled_from(["UPSERT", "DELETE", None]))
    schema_id = draw(st.one_of(st.none(), st.binary(min_size=16, max_size=16).map(bytes.hex)))
    value = draw(st.binary(max_size=20) if version == 0 else st.one_of(st.none(), st.binary(max_size=20)))
    partition = draw(signed(16))
    event = Event(
        event_index=0,
        occurrence=0,
        version=version,
        byte_order=order,
        opcode=opcode,
        key_type=key_type,
        message_key=f'{{"key":{key}}}'
        if isinstance(key, int)
        else base64_key(key)
        if key_type == "schema"
        else text_key(key),
        sequence=draw(signed(64)),
        physical_partition=partition,
        logical_partition=draw(signed(16)) if version == 0 else partition,
        timestamp_nanos=draw(signed(64)),
        source_id=draw(signed(16 if version == 0 else 32)),
        schema_id=None if value is None or schema_id == "00" * 16 else schema_id,
        schema_version=None if version == 0 or value is None else draw(st.integers(0, 8191)),
        value=value,
        is_replicated=draw(st.booleans()),
        is_traced=draw(st.booleans()),
    )
    if version == 0:
        data = write_v1(event, key)
    else:
        data = write_v2(event, key, draw(st.one_of(st.none(), st.binary(max_size=5))))
    return event._replace(byte_length=len(data)), data
