"""The format of the tables of builds: Delta or Iceberg (docs/tables.md). Landing always is Delta."""

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
    """Requirements of Spark for tables of a format.

    Args:
        name: Its name in dbt and Spark.
        jars: The jars in addition to Spark's, including those of Delta.
        settings: Spark's settings.
        locks_tables: Whether each commit takes a metastore lock, which needs tables in the metastore.
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
            # A session would see tables half a minute late, and a build would miss the append of the previous one.
            f"{_CATALOG}.cache-enabled": "false",
            # Delta reads landing by path, without its catalog, as any data source of Spark.
            "spark.databricks.delta.requiredSparkConfsCheck.enabled": "false",
            # Iceberg's metastore client exists in addition to Spark's: with pools each would wait for the other.
            "spark.hadoop.datanucleus.connectionPoolingType": "NONE",
            # A recreated table may have other types, and Hive compares them column by column with the previous ones.
            "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
        },
        locks_tables=True,
    ),
}


def configured_format() -> FileFormat:
    """Return the format in WATERSHED_FILE_FORMAT, else Delta.

    Raises:
        WatershedError: it names none of them.
    """
    name = os.environ.get(VARIABLE) or "delta"
    if name not in FORMATS:
        raise WatershedError(f"{VARIABLE} is {name!r}; expected {' or '.join(FORMATS)}.", "See: docs/tables.md")
    return FORMATS[name]
