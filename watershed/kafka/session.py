"""A separate Spark that lands from Kafka, without metastore, server and functions."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.lock import Lock
from watershed.server import bucket
from watershed.server.access import LOOPBACK
from watershed.server.jars import DELTA, KAFKA, check_java, jars_of, spark_environment
from watershed.server.spark_session import (
    JAVA_VARIABLES,
    java_options_not_overridden,
    rotated_size,
    write_log_configuration,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextlib.contextmanager
def spark_of(home: Home, landing: Lock, scratch: Path, memory: str) -> Iterator[SparkSession]:
    """Run a Spark meanwhile, whose JVM inherits the landing lock.

    The lock of a killed process stays held until the JVM, which may be in the middle of a commit, has exited too.

    Args:
        home: The home of the log.
        landing: The landing lock, open.
        scratch: A folder for temporary files; emptied.
        memory: Memory of the JVM, as Spark writes it.

    Raises:
        WatershedError: the jars are not available, or Spark does not start.
    """
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    check_java()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    jars = [path for jars in (DELTA, KAFKA) for path in jars_of(jars)]
    if home.store:
        jars += bucket.class_path_of(scratch / "classes")
    class_path = ":".join(map(str, jars))
    write_log_configuration(home)
    rotated_size(home.kafka_log)
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    environment = spark_environment()
    os.environ.clear()
    os.environ.update(environment, SPARK_CONF_DIR=str(home.conf), SPARK_LOCAL_IP=LOOPBACK)
    chosen = _settings(scratch, class_path, memory) | (bucket.settings() if home.store else {})
    conf = SparkConf(loadDefaults=False).setAll(list(chosen.items()))
    with home.kafka_log.open("ab") as log:
        try:
            process_options = {"stdout": log, "stderr": log, "pass_fds": (landing.fileno(),)}
            gateway = launch_gateway(conf, process_options)  # type: ignore[no-untyped-call]
            SparkContext._ensure_initialized(gateway=gateway, conf=conf)
            if home.store:
                conf.setAll(list(bucket.late_settings(gateway.jvm, scratch / "classes").items()))
            spark = SparkSession.builder.config(conf=conf).getOrCreate()
        except (Py4JError, PySparkException, RuntimeError) as error:
            raise WatershedError(f"Spark did not start: {error}", f"Its log is {home.kafka_log}.") from error
        try:
            yield spark
        finally:
            # Otherwise Python would release objects in a JVM that has exited, and print errors.
            with contextlib.suppress(Exception):
                gateway.shutdown()
            with contextlib.suppress(Exception):
                gateway.proc.stdin.close()
                gateway.proc.wait(20)
            gateway.proc.kill()
            shutil.rmtree(scratch, ignore_errors=True)


def _settings(scratch: Path, class_path: str, memory: str) -> dict[str, str]:
    options = [
        *java_options_not_overridden(" ".join(os.environ.get(name, "") for name in JAVA_VARIABLES)),
        "-Duser.timezone=UTC",
        f'"-Djava.io.tmpdir={scratch}"',
    ]
    return {
        "spark.app.name": "watershed-kafka",
        "spark.master": "local[*]",
        "spark.driver.memory": memory,
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.extraClassPath": class_path,
        "spark.driver.extraJavaOptions": " ".join(options),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.shuffle.partitions": "2",
        # Row groups of the size in `watershed land`, because a build reads a row group as a whole.
        "spark.hadoop.parquet.block.size": str(16 * 1024 * 1024),
        "spark.hadoop.parquet.page.size.row.check.min": "1",
        "spark.hadoop.parquet.block.size.row.check.min": "1",
        "spark.buffer.pageSize": "4m",
    }
