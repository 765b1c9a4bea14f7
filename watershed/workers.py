"""The process that Spark forks its Python workers from; it has imported what each of them would import by itself.

Spark starts it as `python -m watershed.workers pyspark.worker` (spark.python.daemon.module).
"""

import pandas  # type: ignore[import-untyped] # noqa: F401 - Spark's workers import it for Arrow
import pyarrow  # noqa: F401
from pyspark.daemon import manager

import watershed_udfs.registry  # noqa: F401

if __name__ == "__main__":
    manager()
