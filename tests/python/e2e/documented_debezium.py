"""Debezium: every connector, the topics around them, and transforms and converters that change the envelope."""

from __future__ import annotations

from typing import Any

from documented import MILLIS, Documented, Event


def _source(connector: str, table: str | None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    told = {"version": "3.1.0.Final", "connector": connector, "name": "crm", "ts_ms": MILLIS, "snapshot": "false"}
    return told | {"db": "crm", "sequence": None, "table": table} | more


MYSQL = _source("mysql", "clients", server_id=223344, gtid=None, file="mysql-bin.000003", pos=484, row=0, thread=7)
MYSQL |= {"ts_us": MILLIS * 1000, "ts_ns": MILLIS * 1_000_000, "query": "UPDATE clients SET mail = 'b'"}
POSTGRES = _source("postgresql", "clients", schema="public", txId=556, lsn=46523128, xmin=None)
SQL_SERVER = _source("sqlserver", "clients", schema="dbo", change_lsn="00000027:00000758:0003") | {
    "commit_lsn": "00000027:00000758:0005",
    "event_serial_no": "2",
}
ORACLE = _source("oracle", "CLIENTS", schema="APP", txId="6.28.807", scn="2122185", commit_scn="2122190") | {
    "rs_id": "001234.00012345.0124",
    "ssn": 1,
    "redo_thread": 1,
    "user_name": "APP",
}
DB2 = _source("db2", "CLIENTS", schema="APP", change_lsn="00000000:0000a1b2:0001", commit_lsn="00000000:0000a1b2:0009")
MONGODB = _source("mongodb", None, collection="clients", ord=31, lsid=None, txnNumber=None, wallTime=None)
ROW = {"id": 7, "name": "Ann", "mail": "a"}
KEY = {"id": 7}
KEY_SCHEMA = {"type": "struct", "fields": [{"type": "int32", "optional": False, "field": "id"}], "optional": False}


def _change(operation: str, source: dict[str, Any], before: Any, after: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    sent = {"before": before, "after": after, "source": source, "op": operation, "ts_ms": MILLIS + 5}
    return sent | {"transaction": None} | more


def _with_schema(message: dict[str, Any], schema: dict[str, Any] | None = None) -> dict[str, Any]:
    fields = [
        {"type": "string", "optional": False, "field": "op"},
        {"type": "int64", "optional": True, "field": "ts_ms"},
    ]
    name = "crm.crm.clients.Envelope"
    return {
        "schema": schema or {"type": "struct", "fields": fields, "optional": False, "name": name},
        "payload": message,
    }


def _debezium(name: str, value: Any, *events: Event, key: Any = None) -> Documented:  # noqa: ANN401
    return Documented(f"debezium_{name}", "debezium", value, key, list(events))


def _table_change(kind: str, table: str) -> dict[str, Any]:
    column = {"name": "id", "jdbcType": 4, "typeName": "INT", "length": None, "optional": False}
    return {"type": kind, "id": table, "table": {"primaryKeyColumnNames": ["id"], "columns": [column]}}


DEBEZIUM = [
    _debezium(
        "mysql_insert_with_schema",
        _with_schema(_change("c", MYSQL, None, ROW)),
        ("change", "insert", "clients", "full"),
        key={"schema": KEY_SCHEMA, "payload": KEY},
    ),
    _debezium(
        "mysql_update",
        _change("u", MYSQL, ROW, ROW | {"mail": "b"}),
        ("change", "update_preimage", "clients", "full"),
        ("change", "update_postimage", "clients", "full"),
        key=KEY,
    ),
    _debezium("mysql_delete", _change("d", MYSQL, ROW, None), ("change", "delete", "clients", "full"), key=KEY),
    _debezium("tombstone", None, ("control", "tombstone", None, "none"), key={"schema": KEY_SCHEMA, "payload": KEY}),
    _debezium("tombstone_of_a_json_converter", "null", ("control", "tombstone", None, "none"), key=KEY),
    _debezium(
        "mysql_truncate",
        {"source": MYSQL, "op": "t", "ts_ms": MILLIS, "transaction": None},
        ("change", "truncate", "clients", "none"),
    ),
    _debezium(
        "last_row_of_a_snapshot",
        _change("r", MYSQL | {"snapshot": "last", "server_id": 0, "query": None}, None, ROW),
        ("change", "upsert", "clients", "full"),
        key=KEY,
    ),
    _debezium(
        "incremental_snapshot",
        _change("r", POSTGRES | {"snapshot": "incremental", "txId": None}, None, ROW),
        ("change", "upsert", "clients", "full"),
        key=KEY,
    ),
    _debezium(
        "postgres_update_with_the_default_identity",
        _change("u", POSTGRES | {"lsn": 46523136}, None, ROW),
        ("change", "update_postimage", "clients", "full"),
        key=KEY,
    ),
    _debezium(
        "postgres_update_of_the_key_with_the_default_identity",
        _change("u", POSTGRES, {"id": 6, "name": None, "mail": None}, ROW),
        ("change", "update_preimage", "clients", "full"),
        ("change", "update_postimage", "clients", "full"),
        key=KEY,
    ),
    _debezium(
        "postgres_delete_with_the_default_identity",
        _change("d", POSTGRES, {"id": 7, "name": None, "mail": None}, None),
        ("change", "delete", "clients", "key"),
        key=KEY,
    ),
    _debezium(
        "postgres_unchanged_long_value",
        _change("u", POSTGRES, None, ROW | {"mail": "__debezium_unavailable_value"}),
        ("change", "update_postimage", "clients", "partial"),
        key=KEY,
    ),
    _debezium(
        "postgres_message_of_the_log",
        {"op": "m", "ts_ms": MILLIS, "source": POSTGRES | {"schema": "", "table": ""}}
        | {"message": {"prefix": "audit", "content": "YWI="}},
        ("control", "message", None, "none"),
        key={"prefix": "audit"},
    ),
    _debezium(
        "sqlserver_update",
        _change("u", SQL_SERVER, ROW, ROW | {"mail": "b"}),
        ("change", "update_preimage", "clients", "full"),
        ("change", "update_postimage", "clients", "full"),
        key=KEY,
    ),
    _debezium(
        "oracle_insert_with_numbers_of_any_scale",
        _change("c", ORACLE, None, {"ID": {"scale": 0, "value": "Bw=="}, "RATE": {"scale": 2, "value": "AN4="}}),
        ("change", "insert", "CLIENTS", "full"),
        key={"ID": {"scale": 0, "value": "Bw=="}},
    ),
    _debezium(
        "db2_delete",
        _change("d", DB2, {"ID": 7, "NAME": "Ann"}, None),
        ("change", "delete", "CLIENTS", "full"),
        key={"ID": 7},
    ),
    _debezium(
        "mongodb_update_with_the_document",
        _change("u", MONGODB, None, '{"_id": {"$numberLong": "7"},"name": "Ann","tags": ["x"]}')
        | {"updateDescription": {"removedFields": None, "updatedFields": '{"name": "Ann"}', "truncatedArrays": None}},
        ("change", "update_postimage", "clients", "full"),
        key={"id": "7"},
    ),
    _debezium(
        "mongodb_delete",
        _change("d", MONGODB, None, None, updateDescription=None),
        ("change", "delete", "clients", "key"),
        key={"id": '{"$oid": "596e275826f08b2730779e1f"}'},
    ),
    _debezium(
        "transaction_begins",
        {"status": "BEGIN", "id": "571:53195829", "ts_ms": MILLIS, "event_count": None, "data_collections": None},
        ("control", "transaction_mark", None, "none"),
        key={"id": "571:53195829"},
    ),
    _debezium(
        "transaction_ends",
        {"status": "END", "id": "571:53195832", "ts_ms": MILLIS, "event_count": 2}
        | {"data_collections": [{"data_collection": "public.clients", "event_count": 2}]},
        ("control", "transaction_mark", None, "none"),
        key={"id": "571:53195832"},
    ),
    _debezium(
        "mysql_schema_change",
        _with_schema(
            {"source": MYSQL, "ts_ms": MILLIS, "databaseName": "crm", "schemaName": None}
            | {"ddl": "ALTER TABLE clients ADD phone varchar(20)"}
            | {"tableChanges": [_table_change("ALTER", '"crm"."clients"')]}
        ),
        ("control", "schema_change", "clients", "none"),
        key={"databaseName": "crm"},
    ),
    _debezium(
        "mysql_drop_of_two_tables",
        {"source": MYSQL | {"table": "clients,orders"}, "ts_ms": MILLIS, "databaseName": "crm", "schemaName": None}
        | {"ddl": "DROP TABLE IF EXISTS `clients`,`orders` /* generated by server */"}
        | {
            "tableChanges": [{"type": "DROP", "id": f'"crm"."{name}"', "table": None} for name in ("clients", "orders")]
        },
        ("change", "truncate", "clients", "none"),
        ("change", "truncate", "orders", "none"),
    ),
    _debezium(
        "sqlserver_schema_change_without_a_statement",
        {"source": SQL_SERVER, "ts_ms": MILLIS, "databaseName": "crm", "schemaName": "dbo", "ddl": None}
        | {"tableChanges": [_table_change("CREATE", '"crm"."dbo"."clients"')]},
        ("control", "schema_change", "clients", "none"),
    ),
    _debezium("heartbeat", {"ts_ms": MILLIS}, ("control", "heartbeat", None, "none"), key={"serverName": "crm"}),
    _debezium(
        "signal_that_starts_an_incremental_snapshot",
        {"type": "execute-snapshot", "data": {"data-collections": ["crm.clients"], "type": "INCREMENTAL"}},
        ("control", "message", None, "none"),
        key="crm",
    ),
    _debezium(
        "notification",
        {"id": "ff81ba59", "aggregate_type": "Incremental Snapshot", "type": "TABLE_SCAN_COMPLETED"}
        | {"additional_data": {"connector_name": "crm", "total_rows_scanned": "9"}, "timestamp": MILLIS},
        ("control", "message", None, "none"),
    ),
    _debezium(
        "row_of_the_signal_table",
        _change("c", MYSQL | {"table": "debezium_signal"}, None, {"id": "ad-hoc-1", "type": "log", "data": "{}"}),
        ("change", "insert", "debezium_signal", "full"),
        key={"id": "ad-hoc-1"},
    ),
    _debezium(
        "flattened",
        ROW,
        ("quarantined", "flattened_message", None, "op, before, after, source; found the columns of a row"),
        key=KEY,
    ),
    _debezium(
        "flattened_with_added_fields",
        _with_schema(ROW | {"__deleted": "true", "__op": "d", "__table": "clients", "__source_ts_ms": MILLIS}),
        ("quarantined", "flattened_message", None, "op, before, after, source; found the columns of a row"),
        key=KEY,
    ),
    _debezium(
        "outbox_event",
        {"orderId": 7, "lineItems": [{"id": 1, "quantity": 2}]},
        ("quarantined", "flattened_message", None, "op, before, after, source; found the columns of a row"),
        key="7",
    ),
    _debezium(
        "cloud_event",
        {"id": "name:crm;lsn:29274832;txId:565", "source": "/debezium/postgresql/crm", "specversion": "1.0"}
        | {"type": "io.debezium.connector.postgresql.DataChangeEvent", "time": "2026-05-28T20:26:40.123Z"}
        | {"datacontenttype": "application/json", "iodebeziumop": "r", "data": {"before": None, "after": ROW}},
        ("quarantined", "flattened_message", None, "op; found an event of the CloudEvents converter"),
        key=KEY,
    ),
    _debezium(
        "json_encoding_of_avro",
        _change("c", MYSQL, None, {"crm.crm.clients.Value": ROW}) | {"ts_ms": {"long": MILLIS}},
        ("quarantined", "unexpected_type", "clients", "before, after; found a union in the JSON encoding of Avro"),
        key=KEY,
    ),
    _debezium(
        "binary_avro",
        "\x00\x00\x00\x00\x01\x02\x0ePayload",
        ("quarantined", "unexpected_type", None, "value; found bytes that start as those of an Avro converter"),
    ),
    _debezium(
        "unknown_operation",
        _change("x", MYSQL, None, ROW),
        ("quarantined", "unknown_operation", "clients", "op"),
        key=KEY,
    ),
    _debezium(
        "sink_of_flink",
        {"before": None, "after": ROW, "op": "c"},
        ("quarantined", "missing_table", None, "source.table"),
    ),
]
