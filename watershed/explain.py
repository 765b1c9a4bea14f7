"""`watershed explain`: the changes of one row in the order of the fold, and which of them decides the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyhive import hive

from watershed.errors import WatershedError
from watershed.home import find_home, find_project_dir
from watershed.server.client import configured_schema, literal, quote, run
from watershed.server.connection import connect_to
from watershed.tables import aligned

HEADINGS = [
    "#", "change", "image", "sequence", "serial", "event_at", "position", "decided by", "role", "truncates",
]  # fmt: skip
ROLES = {
    "preimage of its message": "no effect: the message also contains its postimage",
    "preimage of its order": "no effect: its postimage has the same order",
}
REASONS = {
    "first": "it is the only change",
    "phase": "changes come after rows of a full load",
    "sequence": "its sequence is the highest",
    "serial": "its serial is the highest of its time",
    "time": "its time is the latest; the changes are in several partitions and have no sequence",
    "image": "a postimage comes after a preimage",
    "position": "it comes after the others in its partition, and position orders changes with equal sequences",
    "chain": "last in the chain of images: no other change of its time has its result as before image",
    "tie": "only its position differs from that of the change before it: a tie, decided by a fixed rule",
}
_CHANGES = """
select
    change_number,
    role,
    change_type,
    image_scope,
    cast(change_order.sequence as string),
    cast(change_order.serial as string),
    date_format(event_at, 'yyyy-MM-dd HH:mm:ss.SSSSSS'),
    concat_ws('/', change_order.topic, change_order.partition, change_order.offset, change_order.event_index),
    decided_by,
    coalesce(size(later_truncates), 0),
    is_deleted,
    folded_image,
    change_id
from {schema}.row_changes_explained
where {table} and row_id = unhex({row_id})
order by change_number, startswith(role, 'preimage') desc, change_order
"""


class Explained(NamedTuple):
    """A change of a row, and its effect in the fold."""

    number: int
    role: str
    change_type: str
    image_scope: str
    sequence: str | None
    serial: str | None
    event_at: str | None
    position: str
    decided_by: str | None
    truncates: int
    is_deleted: bool | None
    image: str | None
    change_id: str


def explain(
    source_name: str, table_name: str, row_key: str, database_name: str | None = None, schema_name: str | None = None
) -> None:
    """Explain the state of a row, named as in current_rows; with a key in several databases or schemas, each of them.

    Raises:
        WatershedError: no row has the key, or no server answers.
    """
    names = {"source_name": source_name, "table_name": table_name}
    names |= {"database_name": database_name or "", "schema_name": schema_name or ""}
    table = " and ".join(f"{name} = {literal(text)}" for name, text in names.items() if text)
    schema = quote(configured_schema())
    with connect_to(find_home(find_project_dir())) as cursor:
        wanted = f"{table} and row_key = {literal(row_key)}"
        columns = "hex(row_id), format, database_name, schema_name"
        rows = run(cursor, f"select {columns} from {schema}.row_states where {wanted} order by all")[1]
        if not rows:
            raise WatershedError(
                f"No row of {schema}.row_states has {wanted}. A key is JSON as in current_rows: names in order, no "
                "spaces, numbers and texts as in the image.",
                f'Look at the keys: watershed sql "select row_key from {schema}.row_states where {table} limit 10"',
            )
        for row_id, format_name, database, schema_of_row, *_ in rows:
            place = ".".join(filter(None, [database, schema_of_row, table_name]))
            print(f"\nRow {row_key} of {place} (source {source_name}, format {format_name})\n")
            print(explained(changes_of(cursor, schema, table, row_id)))


def changes_of(cursor: hive.Cursor, schema: str, table: str, row_id: str) -> list[Explained]:
    """Return the changes of a row in the order of the fold, each preimage before its postimage."""
    rows = run(cursor, _CHANGES.format(schema=schema, table=table, row_id=literal(row_id)))[1]
    return [Explained(*row) for row in rows]


def explained(changes: Sequence[Explained]) -> str:
    """Return the changes of a row as a table, and the change that decides with the state it leaves."""
    newest = next(change for change in changes if change.role == "newest")
    reason = REASONS.get(newest.decided_by or "", newest.decided_by)
    if newest.is_deleted:
        state = ["State: deleted."]
    elif newest.truncates:
        state = [f"State: emptied; truncates of the table after it: {newest.truncates}."]
        state.append(f"Image before the truncate: {newest.image}")
    else:
        state = ["State: live.", f"Image: {newest.image}"]
    decides = f"Change {newest.number} ({newest.change_type}, change_id {newest.change_id}) decides: {reason}."
    return "\n".join([aligned(HEADINGS, [_cells(change) for change in changes]), "", decides, *state])


def _cells(change: Explained) -> list[str]:
    number = "-" if change.role.startswith("preimage") else str(change.number)
    texts = [change.sequence, change.serial, change.event_at, change.position, change.decided_by]
    shown = ["-" if text is None else str(text) for text in texts]
    role = ROLES.get(change.role, change.role)
    return [number, change.change_type, change.image_scope, *shown, role, str(change.truncates)]
