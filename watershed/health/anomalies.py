"""The report models of anomalies: meaning and remedy of each kind, and the query for its rows."""

from __future__ import annotations

from typing import NamedTuple

from watershed.server.client import literal


class Kind(NamedTuple):
    """A kind of anomaly; a kind without a remedy is shown but is not a finding."""

    meaning: str
    remedy: str = ""


class AnomalyModel(NamedTuple):
    """A report model: its title and meaning, the condition that selects the rows of a kind, and its kinds."""

    title: str
    meaning: str
    condition: str
    kinds: dict[str, Kind]


_BY_POSITION = "If the transport keeps the order of each key, set order_by to position in seeds/cdc_sources.csv."
_TYPES = "Add the type to seeds/typed_columns.csv, then run .venv/bin/watershed snapshots."

MODELS: dict[str, AnomalyModel] = {
    "ordering_anomalies": AnomalyModel(
        "Order of changes",
        "Changes whose order is doubtful.",
        "anomaly = '{kind}'",
        {
            "tie": Kind("It has the same order as another change of its row; its position decides.", _BY_POSITION),
            "time_regression": Kind(
                "It is older than the change that precedes it by order.",
                "Check whether files landed in the wrong order or a clock at the source was set back.",
            ),
            "sequence_regression": Kind("A late-arriving change: its sequence is lower than the one before it."),
            "sequence_gap": Kind(
                "Numbers before it are missing, in a source that counts every change.",
                "If all tables of the task land here, read the missing messages again from the source.",
            ),
            "no_serial_in_second": Kind(
                "It has no serial in a second with serials; its position is a guess.", _BY_POSITION
            ),
            "other_key_columns": Kind(
                "A row whose key has other columns than the newest change of its table; it may exist under both keys.",
                "Set key_columns in seeds/table_keys.csv, then build with --full-refresh.",
            ),
        },
    ),
    "image_anomalies": AnomalyModel(
        "Row images",
        "Changes that do not fit the previous version of their row: a message was lost or altered.",
        "anomaly = '{kind}'",
        {
            "chain_break": Kind(
                "Its before image differs from the previous version of the row.",
                "Land the missing messages, or load the table in full.",
            ),
            "insert_on_live_key": Kind(
                "An insert of a row that exists.", "Land the missing delete, or load the table in full."
            ),
            "update_of_absent_key": Kind(
                "An update of a row that was deleted.", "Land the missing insert, or load the table in full."
            ),
            "delete_of_absent_key": Kind(
                "A delete of a row that was deleted before.",
                "Check the source for a missing insert, or a delete that was sent twice.",
            ),
        },
    ),
    "ddl_anomalies": AnomalyModel(
        "Schema changes",
        "DDL statements whose effect on the rows is not applied, or not certain.",
        "anomaly = '{kind}'",
        {
            "not_understood": Kind(
                "The statement could not be read, or it changes rows.",
                "Read the statement; if it changes rows, load the table in full.",
            ),
            "partitions_changed": Kind(
                "Partitions were dropped, truncated or exchanged; their rows stay.",
                "Delete the rows of these partitions downstream, or load the table in full.",
            ),
            "table_restored": Kind(
                "A dropped table exists again at the source; its rows stay deleted.", "Load the table in full."
            ),
            "table_renamed": Kind(
                "A table was renamed; its rows stay under the old name.",
                "Read the rows of both names, or load the table in full under its new name.",
            ),
            "tables_swapped": Kind(
                "Tables were renamed in a circle, as tools for online schema changes do; no row moves.",
                "Compare the table with its source, and load it in full if rows differ.",
            ),
            "table_not_emptied": Kind(
                "The statement empties the table, but the vendor's code states another kind and takes precedence.",
                "Check whether the source emptied the table; if so, load it in full.",
            ),
            "other_table_emptied": Kind(
                "The statement names another table than the message, whose table was emptied.",
                "Check that the capture renames this table; if not, land the statement under its own table.",
            ),
        },
    ),
    "databus_windows": AnomalyModel(
        "Databus windows",
        "Windows of Databus streams whose events are incomplete or out of order.",
        "{kind}",
        {
            "missing_end_of_period": Kind(
                "A later window began without the end of this one.", "Read the stream again from before this window."
            ),
            "is_regressed": Kind(
                "It begins after a later window: the stream went backwards.", "Check the relay and its checkpoint."
            ),
            "is_overlapping": Kind(
                "Its events interleave with those of another window.",
                "Check whether two streams are written into one topic.",
            ),
            "is_gap_before": Kind(
                "A checkpoint names a window before it that is not in the stream.",
                "Read the stream again from before that checkpoint.",
            ),
        },
    ),
    "schema_drift": AnomalyModel(
        "Changes of columns",
        "New and removed columns, and columns with another type. Run watershed snapshots to update typed snapshots.",
        "change_kind = '{kind}'",
        {
            "new_column": Kind("A column that the table did not have before."),
            "widened": Kind("The new type takes every value of the old one."),
            "narrowed": Kind("The new type does not take every value of the old one.", _TYPES),
            "conflicting": Kind("Neither type takes every value of the other.", _TYPES),
            "removed": Kind(
                "The column is no longer sent.",
                "Check the queries that use it, then run .venv/bin/watershed snapshots.",
            ),
        },
    ),
}


def kind_of(model: str, kind: str) -> Kind:
    """Return a kind; an unknown one has neither meaning nor remedy."""
    return MODELS[model].kinds.get(kind, Kind(""))


def query_of(model: str, kind: str, source_name: str, place: str) -> str:
    """Return the query that shows the rows of a kind of one source; `place` is the schema, quoted if necessary."""
    condition = MODELS[model].condition.format(kind=kind)
    if kind == "missing_end_of_period":
        condition = f"window_state = '{kind}'"
    return f"select * from {place}.{model} where source_name = {literal(source_name)} and {condition} limit 10"
