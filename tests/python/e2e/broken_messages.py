"""One source per data test of the feed: messages that are sound except for one rule, and the violation of it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from databus_messages import EVENT, json_event, write_v1

Row = dict[str, Any]
TUPLE: Row = {
    "_sequence_id_": "1767225600000000001",
    "_operation_type_": "I",
    "_excute_time_": "1767225600000",
    "_source_table_": "t",
    "_before_image_": "N",
    "_after_image_": "Y",
    "id": "1",
}
SHAREPLEX: Row = {
    "data": {"id": 1},
    "meta": {
        "op": "ins",
        "table": "d.t",
        "rowid": "d.t-1\u00012",
        "scn": "176722560000001",
        "time": "2026-01-01T00:00:00",
        "posttime": "2026-01-01T00:00:01",
    },
}
OMS: Row = {
    "prevStruct": None,
    "postStruct": {"id": 1},
    "allMetaData": {
        "record_primary_key": "id",
        "record_primary_value": "1\u00012",
        "db": "d",
        "table_name": "t",
        "timestamp": "1767225600",
        "storeDataSequence": 176722560000000001,
    },
    "recordType": "INSERT",
}


def blob(number: int = 1, **payload: object) -> Row:
    """Return an insert of one row as a Blob message with some members of its payload replaced."""
    sound: Row = {
        "op": "INSERT",
        "sequenceId": str(1_767_225_600_000_000_000 + number),
        "after": {"dataColumn": {"id": number}},
        "timestamp": {"eventTime": 1_767_225_600_000},
    }
    source = {"dbName": "d", "tableName": "t"}
    return {"schema": {"primaryKey": ["id"], "source": source}, "payload": sound | payload, "version": "0.0.1"}


def flipped_event() -> bytes:
    """Return a Databus event with one wrong bit in its value."""
    event = bytearray(write_v1(EVENT, 1))
    event[-1] ^= 1
    return bytes(event)


@dataclass(frozen=True)
class Broken:
    """The messages of one source, and changes of its events if no message can break the rule."""

    vendor_format: str
    values: list[Row | bytes]
    tamper: str | None = None
    key: str | None = None


BROKEN: dict[str, Broken] = {
    "assert_preimages_have_their_postimage": Broken(
        "datahub_tuple",
        [
            TUPLE | {"_operation_type_": "U", "_before_image_": "Y", "_after_image_": "N"},
            TUPLE | {"_sequence_id_": "1767225600000000002", "id": "2"},
            # Nothing after it, so its other half may still arrive.
            TUPLE
            | {
                "_sequence_id_": "1767225600000000003",
                "_operation_type_": "U",
                "_before_image_": "Y",
                "_after_image_": "N",
            },
        ],
        key="id",
    ),
    "assert_changes_have_a_key": Broken("datahub_tuple", [TUPLE]),
    "assert_key_values_are_not_null": Broken("datahub_tuple", [TUPLE | {"part": None}], key="id,part"),
    "assert_sequences_have_their_shape": Broken("datahub_tuple", [TUPLE | {"_sequence_id_": "17"}], key="id"),
    "assert_times_are_plausible": Broken("datahub_tuple", [TUPLE | {"_excute_time_": "4102444800000"}], key="id"),
    "assert_schema_changes_carry_text": Broken("datahub_blob", [blob(op="ALTER", after=None, ddl={"text": " "})]),
    "assert_rowids_fit_the_key": Broken("oms_shareplex", [SHAREPLEX], key="id"),
    "assert_windows_are_closed": Broken(
        "databus_json",
        [
            json_event(EVENT._replace(opcode="DELETE", value=b"", sequence=10), 1).encode(),
            json_event(EVENT._replace(opcode="DELETE", value=b"", sequence=11), 1).encode(),
        ],
    ),
    "assert_messages_can_be_opened": Broken("datahub_blob", [b'{"payload": {}']),
    "assert_operations_are_known": Broken("datahub_blob", [blob(op="Insert")]),
    "assert_changes_have_a_place": Broken("datahub_blob", [blob(sequenceId=None)]),
    "assert_time_zones_exist": Broken("oms_shareplex", [SHAREPLEX]),  # the error is in cdc_sources.csv
    "assert_images_fit_the_operation": Broken("datahub_blob", [blob(op="DELETE")]),
    "assert_heartbeats_carry_no_row": Broken("oms_default", [OMS | {"recordType": "HEARTBEAT"}]),
    "assert_key_columns_are_in_the_image": Broken("datahub_tuple", [TUPLE], key="number"),
    "assert_key_names_match_key_values": Broken("oms_default", [OMS]),
    "assert_checksums_are_right": Broken("databus_binary", [flipped_event()]),
    "assert_values_fit_their_schema": Broken(
        "databus_json", [json_event(EVENT._replace(schema_id="11" * 16), 1).encode()]
    ),
    # What no message can do, a wrong program could.
    "assert_changes_fit_their_images": Broken("datahub_blob", [blob()], tamper="set row_image = null"),
    "assert_row_keys_are_in_the_image": Broken("datahub_blob", [blob()], tamper="""set row_image = '{"other":1}'"""),
    "assert_events_of_a_message_have_no_gap": Broken(
        "datahub_blob",
        [blob(op="UPDATE_AFTER", before={"dataColumn": {"id": 1}})],
        tamper="set event_index = 2 where event_index = 1",
    ),
    "assert_every_message_has_its_events": Broken("datahub_blob", [blob()], tamper="set offset = 7"),
}

# A flood of messages that cannot be read: so many per reason among so many messages, 6 in 100 of all.
FLOOD = "assert_quarantine_stays_small"
FLOOD_MESSAGES, FLOOD_PER_REASON = 3000, 12
FLOOD_REASONS: dict[str, Row | bytes] = {
    "empty_value": b"",
    "invalid_base64": b"e30=?===",
    "invalid_utf8": b'{"payload": "\xff"}',
    "malformed_json": b"{",
    "duplicate_member": b'{"payload": {}, "payload": {}}',
    "unexpected_type": b'{"payload": [1]}',
    "missing_operation": blob(op=None),
    "unknown_operation": blob(op="Insert"),
    "missing_table": {"schema": {}, "payload": blob()["payload"]},
    "missing_sequence": blob(sequenceId=None),
    "invalid_sequence": blob(sequenceId="1.5"),
    "invalid_timestamp": blob(timestamp={"eventTime": "soon"}),
    "missing_image": blob(after=None),
    "unexpected_image": blob(before={"dataColumn": {"id": 1}}),
    "key_column_missing": blob(after={"dataColumn": {"name": "none"}}),
}


def flood() -> Iterator[Row | bytes]:
    """Yield the messages of the flood: sound ones, and every so often one of each reason in turn."""
    bad = [value for value in FLOOD_REASONS.values() for _ in range(FLOOD_PER_REASON)]
    step = FLOOD_MESSAGES // len(bad)
    for number in range(FLOOD_MESSAGES):
        place, rest = divmod(number, step)
        yield bad[place] if rest == 0 and place < len(bad) else blob(number)


def envelopes(values: Iterator[Row | bytes] | list[Row | bytes]) -> list[str]:
    """Return messages as envelope lines of one partition."""
    lines = []
    for offset, value in enumerate(values):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        line = {"topic": "t", "partition": 0, "offset": offset, "value_base64": base64.b64encode(data).decode()}
        lines.append(json.dumps(line))
    return lines
