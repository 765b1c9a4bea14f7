"""Small histories of Debezium and Maxwell: copies, snapshots and partitions, each with the rows that are right."""

from __future__ import annotations

from typing import Any

from writer_cases import START_MILLIS, Case, Message

UNAVAILABLE = "__debezium_unavailable_value"
UNAVAILABLE_BYTES = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="


def row(operation: str, position: int | None, value: Any, second: int = 0, **more: Any) -> Message:  # noqa: ANN401
    """Return a change of row 1 of a MySQL table, or of a source without a position in the log."""
    source = {"version": "3.0.0.Final", "db": "shop", "table": "t", "ts_ms": START_MILLIS + second * 1000}
    source |= {"connector": "mysql", "snapshot": "true" if operation == "r" else "false"}
    source |= {} if position is None else {"file": "binlog.000001", "pos": position, "row": 0}
    images = {"before": None, "after": {"id": 1, "v": value} if operation in "cru" else None}
    return {"op": operation, "ts_ms": START_MILLIS, "source": source, "record_key": {"id": 1}} | images | more


def document(second: int, operation: str, before: str | None, after: str | None) -> Message:
    source = {"connector": "mongodb", "db": "shop", "collection": "t", "ts_ms": START_MILLIS + second * 1000, "ord": 1}
    sent = {"op": operation, "ts_ms": START_MILLIS, "source": source, "record_key": {"id": "7"}}
    return sent | {"before": before, "after": after}


def toasted(second: int, operation: str, title: str, body: str, raw: str) -> Message:
    image = {"id": 1, "title": title, "body": body, "raw": raw}
    return row(operation, None, None, second) | {"after": image}


def maxwell(kind: str, second: int, value: str, **more: Any) -> Message:  # noqa: ANN401
    sent = {"database": "shop", "table": "t", "type": kind, "ts": START_MILLIS // 1000 + second, "xid": second}
    return sent | {"primary_key_columns": ["id"], "data": {"id": 1, "v": value}} | more


def live(value: Any) -> list[tuple[str, Message]]:  # noqa: ANN401
    return [("t", {"id": 1, "v": value})]


TRUNCATE = {key: value for key, value in row("t", 200, None).items() if key != "record_key"}
BOOTSTRAPPED = [
    maxwell("bootstrap-insert", 0, "a", xid=None),
    maxwell("update", 5, "lost", old={"v": "a"}, commit=True),
    maxwell("bootstrap-insert", 9, "c", xid=None),
]
DEBEZIUM_CASES = {
    "dbz_toast": Case(
        [
            toasted(0, "c", "t", "long text", "AAEC"),
            toasted(1, "u", "t2", UNAVAILABLE, UNAVAILABLE_BYTES),
            toasted(2, "u", "t2", "new text", UNAVAILABLE_BYTES),
            toasted(3, "u", "t3", UNAVAILABLE, UNAVAILABLE_BYTES),
        ],
        [("t", {"id": 1, "title": "t3", "body": "new text", "raw": "AAEC"})],
        vendor_format="debezium",
    ),
    "dbz_toggle_in_a_second": Case(
        [row(operation, 100 * place, place % 2) for place, operation in enumerate("cuuu", 2)],
        live(1),
        vendor_format="debezium",
    ),
    "dbz_toggle_in_a_second_pos": Case(
        [row(operation, 100 * place, place % 2) for place, operation in enumerate("cuuu", 2)],
        live(1),
        vendor_format="debezium",
        order_by="position",
    ),
    # The connector starts again before a crash, and ends this time before the second change is sent.
    "dbz_sent_again_in_a_later_build": Case(
        [row("c", 100, "a"), row("u", 200, "b")],
        live("b"),
        later=[row("c", 100, "a")],
        vendor_format="debezium",
    ),
    "dbz_sent_again_by_position": Case(
        [row("c", 100, "a"), row("u", 200, "b")],
        live("b"),
        later=[row("c", 100, "a")],
        vendor_format="debezium",
        order_by="position",
    ),
    "dbz_copy_read_before_its_original": Case(
        [(0, 1, row("u", 200, "b")), (0, 7, row("c", 100, "a"))],
        live("b"),
        later=[(0, 0, row("c", 100, "a"))],
        vendor_format="debezium",
    ),
    "dbz_copy_in_another_partition": Case(
        [(0, 0, row("c", 100, "a")), (0, 1, row("u", 200, "b"))],
        live("b"),
        later=[(1, 0, row("c", 100, "a"))],
        vendor_format="debezium",
    ),
    "dbz_partitions_of_one_second": Case(
        [(0, 0, row("u", 300, "c")), (1, 0, row("u", 200, "b")), (2, 0, row("c", 100, "a"))],
        live("c"),
        vendor_format="debezium",
    ),
    "dbz_truncate_sent_again": Case(
        [row("c", 100, "a"), TRUNCATE, row("c", 300, "b")], live("b"), later=[TRUNCATE], vendor_format="debezium"
    ),
    "dbz_truncate_read_before_its_original": Case(
        [(0, 0, row("c", 100, "a")), (0, 2, row("c", 300, "b")), (0, 5, TRUNCATE)],
        live("b"),
        later=[(0, 1, TRUNCATE)],
        rows_before=[],
        vendor_format="debezium",
    ),
    # A router of topics adds the name of the physical table to the record key.
    "dbz_routed": Case(
        [row("c", 100, "a", record_key={"id": 1, "__dbz__physicalTableIdentifier": "shop.t_1"})],
        live("a"),
        vendor_format="debezium",
    ),
    "dbz_second_snapshot": Case(
        [row("r", 100, "a"), row("u", 200, "lost")],
        live("c"),
        later=[row("r", 300, "c")],
        rows_before=live("lost"),
        vendor_format="debezium",
    ),
    # After a failover the log begins again: position in the topic decides.
    "dbz_log_that_begins_again": Case(
        [row("c", 9000, "a")], live("b"), later=[row("u", 100, "b")], vendor_format="debezium"
    ),
    # MySQL gives all events of a compressed transaction one position; the metadata of the transaction orders them.
    "dbz_one_position_for_a_transaction": Case(
        [
            row(kind, 100, "a", transaction={"id": "t1", "total_order": place, "data_collection_order": place})
            for place, kind in enumerate("cdc", 1)
        ],
        live("a"),
        vendor_format="debezium",
    ),
    # The field `id` of a document is not its key, which the record key also calls `id`.
    "dbz_document_with_an_id": Case(
        [
            document(1, "c", None, '{"_id": 7,"id": 17,"v": "a","w": 1}'),
            document(2, "u", '{"_id": 7,"id": 17,"v": "a","w": 1}', None)
            | {"updateDescription": {"removedFields": None, "updatedFields": '{"v": "b"}', "truncatedArrays": None}},
        ],
        [("t", {"_id": 7, "id": 17, "v": "b", "w": 1})],
        vendor_format="debezium",
    ),
    "maxwell_noblob_with_lob_columns": Case(
        [
            maxwell("insert", 0, "a", data={"id": 1, "v": "a", "note": "long"}),
            maxwell("update", 1, "b", old={"v": "a"}),
        ],
        [("t", {"id": 1, "v": "b", "note": "long"})],
        vendor_format="maxwell",
        lob_columns="note",
    ),
    "maxwell_second_bootstrap": Case(BOOTSTRAPPED, live("lost"), vendor_format="maxwell"),
    "maxwell_second_bootstrap_by_position": Case(BOOTSTRAPPED, live("c"), vendor_format="maxwell", order_by="position"),
}
