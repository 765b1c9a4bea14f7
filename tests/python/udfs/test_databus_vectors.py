"""Every event and stream as the real classes of Databus read them."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from databus_events import crc
from watershed_udfs.databus.avro_schemas import key_columns_of, schema_ids, schema_text
from watershed_udfs.databus.avro_values import read_avro
from watershed_udfs.databus.crc import databus_crc
from watershed_udfs.databus.event import Event, base64_key, text_key
from watershed_udfs.databus.stream import read_databus, read_stream

VECTORS = Path(__file__).with_name("databus_vectors")


def read_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


EVENTS = read_lines("events.jsonl")
STREAMS = read_lines("streams.jsonl")
SCHEMAS = read_lines("schemas.jsonl")
ERROR_CODES = {
    "ERR": ("databus_header_crc", "databus_value_crc", "databus_invalid_length"),
    "PARTIAL": ("databus_truncated",),
}
EXCEPTION_CODES = {
    "UnsupportedDbusEventVersionRuntimeException": "databus_unknown_version",
    "DatabusRuntimeException": "databus_remote_error",
}
FOREIGN_ORDER = "v1-wrong-byte-order"
"""An event that the real scan was configured to read in the wrong byte order; here it is not configured."""


def expected_event(expected: dict[str, Any], byte_order: str, event_index: int = 0) -> Event:
    """Convert the output of the original classes into the expected event."""
    is_v1 = expected["version"] == 0
    key_type: Any = expected["keyType"].lower()
    if key_type == "long":
        message_key = f'{{"key":{expected["key"]}}}'
    elif key_type == "string":
        message_key = text_key(base64.b64decode(expected["keyBytesB64"]))
    else:
        message_key = base64_key(base64.b64decode(expected["keyPart"]["dataB64"]))
    has_payload = not is_v1 and expected["payloadPart"] is not None
    order: Any = byte_order.lower()
    return Event(
        event_index=event_index,
        occurrence=0,
        version=expected["version"],
        byte_order=order,
        opcode=expected["opcode"],
        key_type="bytes" if is_v1 and key_type == "string" else key_type,
        message_key=message_key,
        sequence=expected["sequence"],
        physical_partition=expected["physicalPartitionId"],
        logical_partition=expected["logicalPartitionId"],
        timestamp_nanos=expected["timestampInNanos"],
        source_id=expected["srcId"],
        schema_id=None if expected["schemaIdHex"] in (None, "0" * 32) else expected["schemaIdHex"],
        schema_version=expected["schemaVersion"] if has_payload else None,
        value=None if expected["valueB64"] is None else base64.b64decode(expected["valueB64"]),
        is_replicated=expected["extReplicated"],
        is_traced=expected["trace"],
        byte_offset=expected.get("offset", 0),
        byte_length=expected["size"],
    )


@pytest.mark.parametrize("case", EVENTS, ids=lambda case: f"{case['case']}-{case['name']}")
def test_events_agree_with_the_real_classes(case: dict[str, Any]) -> None:
    data = base64.b64decode(case["rawB64"])
    (event,) = read_databus(data)
    assert read_databus(case["rawB64"].encode()) == [event]
    if case["expected"] is not None:
        assert event == expected_event(case["expected"], case["byteOrder"])
        return
    if case["name"] == FOREIGN_ORDER:
        assert event.error_code is None
        assert event.byte_order == "little"
        return
    assert event == Event(0, byte_length=len(data), error_code=event.error_code, error_detail=event.error_detail)
    if case["createError"]:
        assert event.error_code == EXCEPTION_CODES[case["createError"].split(":")[0]]
    elif case.get("decodeError"):
        assert event.error_code == "databus_key_size"
    else:
        assert event.error_code in ERROR_CODES[case["eventScan"]]


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: f"{case['stream']}-{case['name']}")
def test_streams_agree_with_the_real_classes(case: dict[str, Any]) -> None:
    data = base64.b64decode(case["rawB64"])
    events = read_stream(data)
    whole = [
        expected_event(expected, case["byteOrder"], event_index)
        for event_index, expected in enumerate(case["expected"])
    ]
    assert events[: len(whole)] == whole
    if case["endStatus"] == "END":
        assert len(events) == len(whole)
        assert case["consumed"] in (0, len(data))
        return
    (failed,) = events[len(whole) :]
    assert failed.error_code in ERROR_CODES[case["endStatus"]]
    assert (failed.byte_offset, failed.byte_length) == (case["consumed"], len(data) - case["consumed"])


def test_vectors_are_valid() -> None:
    valid = [case for case in EVENTS if case["expected"] is not None]
    assert (len(EVENTS), len(valid), len(STREAMS), len(SCHEMAS)) == (148, 85, 7, 3)


def test_old_java_event_looks_replicated() -> None:
    expected = json.loads((VECTORS / "DbusEventUpsertByOldJava.expected.json").read_text())
    expected["valueB64"] = base64.b64encode(expected["valueUtf8"].encode()).decode()
    (event,) = read_databus((VECTORS / "DbusEventUpsertByOldJava.evt").read_bytes())
    assert event == expected_event(expected, "big")
    assert expected["attributes"] == 0x0101
    assert (event.opcode, event.is_replicated) == ("UPSERT", True)


def test_crc_agrees_with_the_bitwise_one() -> None:
    for data in (b"", bytes(9), b"\x00a", b"123456789", bytes(range(256))):
        assert databus_crc(data) == crc(data)
    assert databus_crc(b"") == databus_crc(bytes(9)) == 0
    assert databus_crc(b"\x00\x00a") == databus_crc(b"a")


@pytest.mark.parametrize("case", SCHEMAS, ids=lambda case: case["file"])
def test_schemas_have_the_ids_of_java(case: dict[str, Any]) -> None:
    raw = (VECTORS / case["file"]).read_bytes()
    assert schema_text(raw) == case["canonical"]
    assert schema_text(case["canonical"]) == case["canonical"]
    assert schema_ids(raw) == (case["schemaIdHex_md5_of_toString"], case["schemaIdHex_md5_of_file_bytes"])
    assert key_columns_of(raw) == (["key"] if case["file"] == "person.avsc" else ["id"])


def test_avro_values_of_events_are_read_by_the_schema_of_their_id() -> None:
    schemas = {}
    for case in SCHEMAS:
        schemas |= dict.fromkeys(schema_ids((VECTORS / case["file"]).read_bytes()), case["canonical"])
    events = [event for case in [*EVENTS, *STREAMS] for event in read_databus(case["rawB64"].encode())]
    images = [read_avro(event.value, schemas[event.schema_id]) for event in events if event.schema_id in schemas]  # type: ignore[arg-type]
    assert len(images) >= 9
    assert images[0] == (
        '{"birthDate":315532800000,"deleted":"false","firstName":"Balaji","key":1,"lastName":"Varadarajan","txn":101}'
    )
