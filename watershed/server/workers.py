"""The process that Spark forks its Python workers from, with the imports that each of them needs.

Spark starts it as `python -m watershed.server.workers pyspark.worker` (spark.python.daemon.module).
"""

import gc

import pandas  # noqa: F401 - Spark's workers import it for Arrow
import pyarrow  # noqa: F401
import watershed_udfs.registry  # noqa: F401
from pyspark.daemon import manager

if __name__ == "__main__":
    # Each worker collects garbage after each task, and would scan all imported modules: some 50 ms.
    gc.freeze()
    manager()  # type: ignore[no-untyped-call]
