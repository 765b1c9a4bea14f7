"""One logical history as the messages of each format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from delivery import Log
from histories import KEY_COLUMNS, Key, Row, Step, Version, versions, without_truncates

from encoders import canal, databus, datahub, debezium, lindorm, maxwell, oceanbase
from encoders.table import Table, as_text, event_millis, event_seconds


@dataclass(frozen=True)
class VendorFormat:
    """How a format writes a history, and what it cannot say (docs/formats/what_formats_cannot_say.md)."""

    name: str
    encode: Callable[[Table], Log]
    read: Callable[[Row], Row] = as_text
    """The row of a history that a row image represents, all values as text."""
    read_key: Callable[[Row], Key] = lambda key: tuple(str(key[name]) for name in sorted(key))
    has_truncates: bool = True
    has_keys: bool = True
    has_load_times: bool = True
    lob_columns: str = ""
    """The LOB columns to configure."""
    has_lob_rule: Callable[[Table], bool] | None = None
    """For which tables; none is for all of the source."""
    byte_columns: dict[str, str] = field(default_factory=dict)
    """What it calls the columns of a history, where its values are bytes without a type."""
    is_ordered_by_chain: bool = False
    """Whether the images determine only the last change of a millisecond, and not the changes before it."""
    expect: Callable[[Table], dict[Key, list[Version]]] | None = None
    """Its own rules of order, where they are not the order of the source."""
    sequence_of: Callable[[Table, Step], int] | None = None
    """A sequence up to which `change_order` holds a step that is not a load, and none of a later second, if any."""
    versions_up_to: Callable[[Table, int], dict[Key, list[Version]]] | None = None
    """The versions after the message at an offset of the only partition, if positions order its changes."""

    def table(self, table: Table) -> Table:
        """The table with a history that the format can say."""
        return table if self.has_truncates else table.with_steps(without_truncates(table.steps))

    def versions(self, table: Table) -> dict[Key, list[Version]]:
        """What the history of the table must become."""
        expected = self.expect(table) if self.expect else versions(table.steps, self.has_load_times)
        return {
            key: [replace(version, row=version.row and as_text(version.row)) for version in told]
            for key, told in expected.items()
        }

    def shows_all_versions(self, table: Table) -> bool:
        """Whether the order of all changes of a row can be determined, not only the last."""
        return not self.is_ordered_by_chain or table.profile.per_second == 1

    def table_name(self, table: Table) -> str:
        """What the table is called in the changelog."""
        return f"source_{table.number}" if self.name.startswith("databus_") else table.name

    def key_columns(self, tables: list[Table]) -> dict[str, str]:
        """The key columns to configure, by table."""
        return {table.name: ",".join(KEY_COLUMNS[table.profile.key_kind]) for table in tables if not self.has_keys}

    def lob_tables(self, tables: list[Table]) -> list[str]:
        """The tables whose LOB columns are configured one by one."""
        return [table.name for table in tables if self.has_lob_rule and self.has_lob_rule(table)]


def _end_of_second(_: Table, step: Step) -> int:
    """The last millisecond of its second, which is the sequence of formats that count in milliseconds."""
    return event_millis(step) + 999


FORMATS = (
    VendorFormat("datahub_blob", datahub.blob_log, has_load_times=False, sequence_of=datahub.sequence_of),
    VendorFormat(
        "datahub_tuple", datahub.tuple_log, has_truncates=False, has_keys=False, sequence_of=datahub.sequence_of
    ),
    VendorFormat(
        "oms_default", oceanbase.default_log, has_load_times=False, lob_columns="note", sequence_of=_end_of_second
    ),
    VendorFormat(
        "oms_default_extend_column_type", oceanbase.default_extend_log, has_load_times=False, sequence_of=_end_of_second
    ),
    VendorFormat("oms_dataworks_v2", oceanbase.dataworks_log, sequence_of=_end_of_second),
    VendorFormat(
        "oms_canal",
        canal.canal_log,
        lob_columns="note",
        has_lob_rule=canal.names_types_of_the_row,
        expect=canal.canal_versions,
        versions_up_to=canal.canal_versions_up_to,
    ),
    VendorFormat("oms_shareplex", oceanbase.shareplex_log, has_keys=False, sequence_of=_end_of_second),
    VendorFormat(
        "lindorm_sql",
        lindorm.sql_log,
        read=lindorm.sql_row,
        has_keys=False,
        is_ordered_by_chain=True,
        sequence_of=_end_of_second,
    ),
    VendorFormat(
        "lindorm_hbase",
        lindorm.hbase_log,
        read=lindorm.hbase_row,
        read_key=lindorm.hbase_key,
        byte_columns=lindorm.HBASE_COLUMNS,
        is_ordered_by_chain=True,
        sequence_of=_end_of_second,
    ),
    VendorFormat("debezium", debezium.debezium_log),
    VendorFormat("maxwell", maxwell.maxwell_log, sequence_of=lambda _, step: event_seconds(step)),
    VendorFormat("databus_binary", databus.binary_log, has_truncates=False, sequence_of=databus.window_of),
    VendorFormat("databus_json", databus.json_log, has_truncates=False, sequence_of=databus.window_of),
)

__all__ = ["FORMATS", "Table", "VendorFormat"]
