"""Typed snapshots that lack columns or tables of their messages, from the model snapshot_lag."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from watershed.tables import counted

QUERY = """
select source_name, concat_ws('.', database_name, schema_name, table_name) as place, problem, remedy
from {schema}.snapshot_lag
order by all
"""
"""`{schema}` is the quoted schema of the published models; a schema that was built before this model lacks it."""


class Lag(NamedTuple):
    """A column that a typed snapshot lacks, or a table without one, with the command that helps."""

    source_name: str
    place: str
    problem: str
    remedy: str


class TableLag(NamedTuple):
    """The lags of one table of a source: a sentence and the command."""

    source_name: str
    text: str
    remedy: str


def by_table(lags: Iterable[Lag]) -> list[TableLag]:
    """Return one sentence per table and remedy, in the order of the lags; the first problem represents the others."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for lag in lags:
        found.setdefault((lag.source_name, lag.place, lag.remedy), []).append(lag.problem)
    return [
        TableLag(source, f"{source}, {place}: {problems[0]}{_more(len(problems) - 1)}.", remedy)
        for (source, place, remedy), problems in found.items()
    ]


def _more(others: int) -> str:
    return f", and {counted(others, 'other column')}" if others else ""
