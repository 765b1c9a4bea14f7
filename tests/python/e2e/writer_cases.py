"""Small histories of writers of change messages, with the rows that are right: each was once read otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]
START_MILLIS = 1_767_225_600_000


def change(kind: str, table: str, data: list[Message] | None, old: list[Any] | None = None, **more: Any) -> Message:  # noqa: ANN401
    """Return a Canal message of rows, whose types are those of its first row."""
    types = dict.fromkeys((data or [{}])[0], "varchar(9)") or None
    names = {"database": "shop", "table": table, "pkNames": ["id"], "isDdl": False, "sql": "", "mysqlType": types}
    return names | {"type": kind, "data": data, "old": old} | more


def statement(kind: str, table: str, text: str) -> Message:
    """Return a Canal message of DDL."""
    return change(kind, table, None, pkNames=None, isDdl=True, sql=text)


def shareplex(operation: str, time: str, data: Message, key: Message | None = None) -> Message:
    meta = {"op": operation, "table": "SALES.LOG", "time": time, "posttime": time, "scn": "15000000100100"}
    return {"meta": meta, "data": data} | ({"key": key} if key else {})


@dataclass(frozen=True)
class Case:
    """Messages of one source, the expected live rows (table, image), and further published rows."""

    messages: list[Message | tuple[int, int, Message]]
    """In the order of their offsets in partition 0; or with partition and offset."""
    rows: list[tuple[str, Message]]
    reports: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    vendor_format: str = "oms_canal"
    time_zone: str = "UTC"
    order_by: str = ""
    keys: dict[str, str] = field(default_factory=dict)
    lob_columns: str = ""
    later: list[Message | tuple[int, int, Message]] = field(default_factory=list)
    """Messages of a second build, whose offsets follow."""
    rows_before: list[tuple[str, Message]] | None = None
    """The live rows after the first build, where that is looked at."""

    def envelopes(self, name: str) -> tuple[list[str], list[str]]:
        """The messages of each build as envelope lines."""
        placed = [
            one if isinstance(one, tuple) else (0, number, one) for number, one in enumerate(self.messages + self.later)
        ]
        lines = [_envelope(name, *one) for one in placed]
        return lines[: len(self.messages)], lines[len(self.messages) :]


def _envelope(topic: str, partition: int, offset: int, message: Message) -> str:
    value, key = {name: given for name, given in message.items() if name != "record_key"}, message.get("record_key")
    if "mysqlType" in message:
        value = {"es": START_MILLIS + offset * 1000, "ts": START_MILLIS} | value
    line = {"topic": topic, "partition": partition, "offset": offset, "value": json.dumps(value)}
    return json.dumps(line if key is None else line | {"key": json.dumps(key)})


def blob(sequence: str, operation: str, millis: int, **images: Message) -> Message:
    """Return a message of DataHub Blob."""
    source = {"dbType": "MySQL", "dbName": "shop", "tableName": "t"}
    columns = [{"name": "id", "type": "LONG"}, {"name": "v", "type": "STRING"}]
    payload = {"op": operation, "sequenceId": f"176722560000000{sequence}", "timestamp": {"eventTime": millis}}
    payload |= {side: {"dataColumn": image} for side, image in images.items()}
    payload |= {} if images else {"ddl": {"text": "TRUNCATE TABLE t", "ddlMeta": None}}
    schema = {"dataColumn": columns, "primaryKey": ["id"], "source": source}
    return {"schema": schema, "payload": payload, "version": "0.0.1"}


TWO_ROWS = [{"id": "1", "v": "a"}, {"id": "2", "v": "b"}]
KEY_CHANGE = [
    change("INSERT", "acct", [{"id": "1", "code": "A", "v": "a"}, {"id": "2", "code": "B", "v": "b"}]),
    statement("ALTER", "acct", "ALTER TABLE acct DROP PRIMARY KEY, ADD PRIMARY KEY (code)"),
    change("UPDATE", "acct", [{"id": "1", "code": "A", "v": "c"}], [{"v": "a"}], pkNames=["code"]),
    change("DELETE", "acct", [{"id": "2", "code": "B", "v": "b"}], pkNames=["code"]),
]
CASES = {
    "delete_in_old": Case(
        [change("INSERT", "t", TWO_ROWS), change("DELETE", "t", None, [TWO_ROWS[0]])], [("t", TWO_ROWS[1])]
    ),
    "one_item_in_old": Case(
        [
            change("INSERT", "t", [TWO_ROWS[0]], [None]),
            change("INSERT", "t", [TWO_ROWS[1]], [None]),
            change("DELETE", "t", [TWO_ROWS[0]], [TWO_ROWS[0]]),
        ],
        [("t", TWO_ROWS[1])],
        {"changelog where change_type = 'delete'": [("t", 0)]},
    ),
    "update_without_old": Case(
        [
            change("INSERT", "t", TWO_ROWS),
            change("UPDATE", "t", [{"id": "1", "v": None}], None),
            change("UPDATE", "t", [{"id": "2", "v": "c"}], []),
        ],
        [("t", {"id": "1", "v": None}), ("t", {"id": "2", "v": "c"})],
    ),
    "drop_two_tables": Case(
        [
            change("INSERT", "cart", TWO_ROWS),
            change("INSERT", "item", TWO_ROWS),
            statement("ERASE", "cart", "DROP TABLE IF EXISTS `cart`,`item` /* generated by server */"),
            statement("CREATE", "item", "CREATE TABLE `item` (`id` int primary key, `v` varchar(9))"),
            change("INSERT", "item", [{"id": "3", "v": "c"}]),
        ],
        [("item", {"id": "3", "v": "c"})],
        {"changelog where change_type = 'truncate'": [("cart", 0), ("item", 1)]},
    ),
    "column_renamed": Case(
        [
            change("INSERT", "t", [{"id": "1", "a": "1", "v": "x"}, {"id": "2", "a": "2", "v": "x"}]),
            statement("ALTER", "t", "ALTER TABLE t RENAME COLUMN a TO b"),
            change("UPDATE", "t", [{"id": "1", "b": "1", "v": "y"}], [{"v": "x"}]),
        ],
        [("t", {"id": "1", "b": "1", "v": "y"}), ("t", {"id": "2", "a": "2", "v": "x"})],
    ),
    "column_renamed_with_whole_rows_in_old": Case(
        [
            change("INSERT", "t", [{"id": "1", "a": "1", "v": "x"}]),
            statement("ALTER", "t", "ALTER TABLE t RENAME COLUMN a TO b"),
            change("UPDATE", "t", [{"id": "1", "b": "1", "v": "y"}], [{"id": "1", "b": "1", "v": "x"}]),
        ],
        [("t", {"id": "1", "b": "1", "v": "y"})],
    ),
    "key_redefined": Case(KEY_CHANGE, [("acct", {"id": "1", "code": "A", "v": "c"})], keys={"acct": "code"}),
    "key_redefined_without_a_rule": Case(
        KEY_CHANGE,
        [
            ("acct", {"id": "1", "code": "A", "v": "a"}),
            ("acct", {"id": "1", "code": "A", "v": "c"}),
            ("acct", {"id": "2", "code": "B", "v": "b"}),
        ],
        {"ordering_anomalies where anomaly = 'other_key_columns'": [("acct", '{"id":"1"}'), ("acct", '{"id":"2"}')]},
    ),
    "drs_ddl_type": Case(
        [
            statement("INIT_DDL", "t", "CREATE TABLE `t` (`id` int primary key)"),
            change("INIT", "t", TWO_ROWS),
            statement("DDL", "t", "ALTER TABLE `t` COMMENT 'TRUNCATE TABLE t'"),
            statement("DDL", "t", "TRUNCATE TABLE `t`"),
            change("INSERT", "t", [{"id": "3", "v": "c"}]),
        ],
        [("t", {"id": "3", "v": "c"})],
    ),
    "key_only_rows": Case(
        [
            change("INSERT", "t", TWO_ROWS),
            change("UPDATE", "t", [{"id": "1"}], [{"id": "1"}], _tidb={"commitTs": 1, "onlyHandleKey": True}),
            change("DELETE", "t", [{"id": "2"}], _tidb={"commitTs": 2, "onlyHandleKey": True}),
        ],
        [("t", TWO_ROWS[0])],
        {"quarantine where reason_code = 'key_only_image'": [(1,)]},
    ),
    "swapped_keys_in_the_wrong_order": Case(
        [
            change("INSERT", "t", [{"id": "1", "u": "p", "v": "a"}, {"id": "2", "u": "q", "v": "a"}]),
            change("UPDATE", "t", [{"id": "2", "u": "p", "v": "a"}], [{"id": "1"}]),
            change("UPDATE", "t", [{"id": "1", "u": "q", "v": "a"}], [{"id": "2"}]),
        ],
        [("t", {"id": "1", "u": "q", "v": "a"})],
        {"image_anomalies where anomaly = 'chain_break'": [("t", '{"id":"2","u":"q","v":"a"}')]},
    ),
    "swap_of_a_schema_change_tool": Case(
        [
            change("INSERT", "t", TWO_ROWS),
            statement(
                "RENAME", "t", "rename /* gh-ost */ table `shop`.`t` to `shop`.`_t_del`, `shop`.`_t_gho` to `shop`.`t`"
            ),
        ],
        [("t", TWO_ROWS[0]), ("t", TWO_ROWS[1])],
        {"ddl_anomalies where anomaly = 'tables_swapped'": [("_t_gho", "t", 0), ("t", "_t_del", 2)]},
    ),
    "dts_times_are_utc": Case(
        [
            shareplex("ins", "2026-03-05T10:00:01Z", {"ID": "1", "STATE": "open"}),
            shareplex("upd", "2026-03-05T11:00:02Z", {"STATE": "shut"}, {"ID": "1", "STATE": "open"}),
        ],
        [("LOG", {"ID": "1", "STATE": "shut"})],
        {"current_rows where event_at = timestamp '2026-03-05 11:00:02Z'": [("LOG",)]},
        vendor_format="oms_shareplex",
        time_zone="Asia/Shanghai",
        keys={"LOG": "ID"},
    ),
    "inserted_and_deleted_in_one_transaction": Case(
        [
            shareplex("ins", "2026-03-05T10:00:01Z", {"ID": "1"}),
            shareplex("ins", "2026-03-05T10:00:01Z", {"ID": "2"}),
            shareplex("del", "2026-03-05T10:00:01Z", {"ID": "1"}),
        ],
        [("LOG", {"ID": "2"})],
        vendor_format="oms_shareplex",
        keys={"LOG": "ID"},
    ),
    "update_then_key_change": Case(
        [
            change("INSERT", "t", [TWO_ROWS[0]]),
            change("UPDATE", "t", [{"id": "1", "v": "b"}, {"id": "2", "v": "b"}], [{"v": "a"}, {"id": "1"}]),
        ],
        [("t", {"id": "2", "v": "b"})],
    ),
    "noblob_with_lob_columns": Case(
        [
            change("INSERT", "t", [{"id": "1", "v": "a", "note": "long"}]),
            change("UPDATE", "t", [{"id": "1", "v": "b"}], [{"v": "a"}]),
        ],
        [("t", {"id": "1", "v": "b", "note": "long"})],
        lob_columns="note",
    ),
    "noblob_with_types_of_all_columns": Case(
        [
            change("INSERT", "t", [{"id": "1", "v": "a", "note": "long"}]),
            change(
                "UPDATE",
                "t",
                [{"id": "1", "v": "b"}],
                [{"v": "a"}],
                mysqlType={"id": "int", "v": "int", "note": "text"},
            ),
        ],
        [("t", {"id": "1", "v": "b", "note": "long"})],
    ),
    "history_gap": Case(
        [
            blob("2010", "INSERT", 1_767_225_700_000, after={"id": 1, "v": "a"}),
            blob("2020", "UPDATE_AFTER", 1_767_225_800_000, before={"id": 1, "v": "a"}, after={"id": 1, "v": "b"}),
            blob("2030", "TRUNCATE", 1_767_225_750_000),
        ],
        [],
        {"row_history": [('{"id":1,"v":"a"}', 100, 200), ('{"id":1,"v":"b"}', 200, 200)]},
        vendor_format="datahub_blob",
    ),
    "names_in_another_case": Case(
        [
            change("INSERT", "Cart", TWO_ROWS),
            change("INSERT", "item", TWO_ROWS, database="Past"),
            statement("TRUNCATE", "CART", "TRUNCATE TABLE CART"),
            statement("QUERY", "", "DROP DATABASE PAST") | {"database": "PAST"},
        ],
        [("Cart", row) for row in TWO_ROWS] + [("cart", TWO_ROWS[0])],
        # The name is that of two tables now: it may have meant the other one.
        later=[change("INSERT", "cart", [TWO_ROWS[0]])],
        rows_before=[],
    ),
    "drop_database": Case(
        [
            change("INSERT", "a", TWO_ROWS, database="shop_old"),
            change("INSERT", "b", TWO_ROWS, database="shop_old"),
            change("INSERT", "a", [{"id": "3", "v": "c"}]),
            statement("QUERY", "", "drop database `shop_old`"),
            change("INSERT", "b", [{"id": "4", "v": "d"}], database="shop_old"),
        ],
        [("a", {"id": "3", "v": "c"}), ("b", {"id": "4", "v": "d"})],
    ),
}
