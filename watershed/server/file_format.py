"""The format of the tables that builds make: Delta, or Iceberg (docs/tables.md). Landing is Delta with both."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from watershed.errors import WatershedError
from watershed.server.jars import DELTA, ICEBERG, Jars

VARIABLE = "WATERSHED_FILE_FORMAT"
_DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_CATALOG = "spark.sql.catalog.spark_catalog"


@dataclass(frozen=True)
class FileFormat:
    """What Spark needs for tables of a format.

    Args:
        name: As dbt and Spark call it.
        jars: The jars beside Spark's own, those of Delta among them.
        settings: Spark's settings.
        locks_tables: Whether each commit takes a lock of the metastore, which needs tables for it.
    """

    name: str
    jars: tuple[Jars, ...] = (DELTA,)
    settings: Mapping[str, str] = field(default_factory=dict)
    locks_tables: bool = False


FORMATS = {
    "delta": FileFormat(
        "delta",
        settings={
            "spark.sql.extensions": _DELTA_EXTENSION,
            _CATALOG: "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        },
    ),
    "iceberg": FileFormat(
        "iceberg",
        jars=(DELTA, ICEBERG),
        settings={
            "spark.sql.extensions": (
                f"{_DELTA_EXTENSION},org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
            ),
            _CATALOG: "org.apache.iceberg.spark.SparkSessionCatalog",
            f"{_CATALOG}.type": "hive",
            # A session would see a table as it was half a minute ago, and a build not what the one before it appended.
            f"{_CATALOG}.cache-enabled": "false",
            # Delta reads landing without its own catalog, by the path that Spark has for any source of data.
            "spark.databricks.delta.requiredSparkConfsCheck.enabled": "false",
            # Iceberg's client of the metastore comes beside Spark's own: a pool of either would wait for the other.
            "spark.hadoop.datanucleus.connectionPoolingType": "NONE",
            # A table that is made anew may have other types: Hive compares column by column with those of before.
            "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
        },
        locks_tables=True,
    ),
}


def configured_format() -> FileFormat:
    """Return the format that WATERSHED_FILE_FORMAT names, else Delta.

    Raises:
        WatershedError: it names none of them.
    """
    name = os.environ.get(VARIABLE) or "delta"
    if name not in FORMATS:
        raise WatershedError(f"{VARIABLE} is {name!r}; expected {' or '.join(FORMATS)}.", "See: docs/tables.md")
    return FORMATS[name]
