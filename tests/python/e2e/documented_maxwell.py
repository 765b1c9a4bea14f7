"""Maxwell: every kind of message, and the options that add or change members."""

from __future__ import annotations

from typing import Any

from documented import MILLIS, Documented, Event

SECONDS = MILLIS // 1000
ROW = {"id": 7, "name": "Ann", "mail": "a"}


def _maxwell(kind: str, name: str, *events: Event, key: Any = None, **more: Any) -> Documented:  # noqa: ANN401
    sent = {"database": "crm", "table": "clients", "type": kind, "ts": SECONDS} | more
    return Documented(f"maxwell_{name}", "maxwell", sent, key, list(events))


PLACE = {"xid": 23396, "commit": True}
FIELDS = [{"type": "bigint", "name": "id", "signed": True}, {"type": "varchar", "name": "name", "charset": "utf8mb4"}]
TABLE = {"database": "crm", "charset": "utf8mb4", "table": "clients", "columns": FIELDS, "primary-key": ["id"]}
DATABASE = {"database": "crm", "charset": "utf8mb4"}
MAXWELL_KEY = {"database": "crm", "table": "clients", "pk.id": 7}
MAXWELL = [
    _maxwell("insert", "insert", ("change", "insert", "clients", "full"), key=MAXWELL_KEY, **PLACE, data=ROW),
    _maxwell(
        "update",
        "update",
        ("change", "update_preimage", "clients", "full"),
        ("change", "update_postimage", "clients", "full"),
        key=MAXWELL_KEY,
        **PLACE,
        data=ROW,
        old={"mail": None},
    ),
    _maxwell("delete", "delete", ("change", "delete", "clients", "full"), key=MAXWELL_KEY, **PLACE, data=ROW),
    _maxwell(
        "insert",
        "all_output_options",
        ("change", "insert", "clients", "full"),
        xid=23397,
        xoffset=0,
        position="master.000006:800911",
        gtid="3a1f:1-77",
        server_id=23042,
        thread_id=108,
        schema_id=5,
        primary_key=[7],
        primary_key_columns=["id"],
        query="insert into clients values (7, 'Ann', 'a')",
        data=ROW,
    ),
    _maxwell(
        "insert",
        "key_as_an_array",
        ("change", "insert", "clients", "full"),
        key=["crm", "clients", [{"id": 7}]],
        **PLACE,
        data=ROW | {"tags": ["a", "b"], "document": {"deep": [1.50, None]}, "born": "0000-00-00"},
    ),
    _maxwell(
        "insert",
        "table_without_a_key",
        ("change", "insert", "clients", "full"),
        key={"database": "crm", "table": "clients", "_uuid": "e5c1a4b0"},
        xid=23398,
        commit=True,
        data=ROW,
    ),
    _maxwell(
        "bootstrap-start", "bootstrap_starts", ("control", "message", "clients", "none"), data={}, comment="daily"
    ),
    _maxwell("bootstrap-insert", "bootstrap_row", ("change", "upsert", "clients", "full"), key=MAXWELL_KEY, data=ROW),
    _maxwell("bootstrap-complete", "bootstrap_ends", ("control", "message", "clients", "none"), data={}),
    _maxwell(
        "table-create",
        "table_create",
        ("control", "schema_change", "clients", "none"),
        ts=MILLIS,
        sql="create table clients (id bigint primary key, name varchar(9))",
        **{"def": TABLE},
    ),
    _maxwell(
        "table-alter",
        "table_alter",
        ("control", "schema_change", "clients", "none"),
        ts=MILLIS,
        sql="alter table clients drop column mail",
        old=TABLE,
        **{"def": TABLE},
    ),
    _maxwell(
        "table-drop", "table_drop", ("change", "truncate", "clients", "none"), ts=MILLIS, sql="drop table clients"
    ),
    _maxwell(
        "database-create",
        "database_create",
        ("control", "schema_change", None, "none"),
        ts=MILLIS,
        table=None,
        **DATABASE,
    ),
    _maxwell(
        "database-alter",
        "database_alter",
        ("control", "schema_change", None, "none"),
        ts=MILLIS,
        table=None,
        **DATABASE,
    ),
    _maxwell(
        "database-drop",
        "database_drop",
        ("change", "truncate", None, "none"),
        ts=MILLIS,
        table=None,
        database="crm_of_last_year",
        sql="drop database crm_of_last_year",
    ),
    _maxwell(
        "insert",
        "encrypted_data",
        ("quarantined", "missing_image", "clients", "data; found an encrypted message"),
        **PLACE,
        encrypted={"iv": "QnVpYWxhcnlyb3V0aW5l", "bytes": "n2m1PX0b6GGKZQ=="},
    ),
    Documented(
        "maxwell_encrypted_whole",
        "maxwell",
        {"encrypted": {"iv": "QnVpYWxhcnlyb3V0aW5l", "bytes": "n2m1PX0b6GGKZQ=="}},
        None,
        [("quarantined", "missing_image", None, "data; found an encrypted message")],
    ),
    Documented(
        "maxwell_data_only",
        "maxwell",
        ROW,
        MAXWELL_KEY,
        [("quarantined", "missing_operation", None, "type")],
    ),
]
