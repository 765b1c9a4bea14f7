"""The Spark session of the server: its settings, the UDFs and the Thrift endpoint."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.server import bucket
from watershed.server.access import LOOPBACK, Access
from watershed.server.connection import home_settings
from watershed.server.file_format import FileFormat
from watershed.store import VARIABLE

if TYPE_CHECKING:
    from py4j.java_gateway import JVMView
    from pyspark.sql import SparkSession

JAVA_OPTIONS = (
    # No concurrent work: a tenth less than G1 on two cores (docs/performance.md).
    "-XX:+UseParallelGC",
    # The JVM's default of 240 MB fills with generated classes, and then it discards the planner's compiled code.
    "-XX:ReservedCodeCacheSize=512m",
    # A heap that grows stepwise is collected at each step, as is the metaspace.
    "-XX:InitialRAMPercentage=8",
    "-XX:MetaspaceSize=512m",
)
# The C2 compiler gets four tenths of the share of a statement; with 10 a load of 10^6 took 1.4 times as long.
COMPILER_NICENESS = 4
# Variables that the JVM reads besides its command line; options in them belong to the user.
JAVA_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")

UNIQUE_COLUMNS = ("change_id", "row_image", "row_id", "last_change_id")

_LOG_LIMIT_BYTES = 20_000_000

# Spark logs to stderr of its JVM, which is the server's log file.
_LOG4J = """\
status = error
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yyyy-MM-dd HH:mm:ss.SSS} %p %c{1}: %m%n%ex
logger.nativecode.name = org.apache.hadoop.util.NativeCodeLoader
logger.nativecode.level = error
"""


def prepare_home(home: Home) -> None:
    """Create the server's folders, empty its scratch folder and write the logging configuration."""
    shutil.rmtree(home.scratch, ignore_errors=True)
    for folder in (home.scratch, home.classes, home.warehouse, home.scratch / "hive-local"):
        folder.mkdir(parents=True, exist_ok=True)
    write_log_configuration(home)


def write_log_configuration(home: Home) -> None:
    """Write the logging configuration, and create the folder of the logs."""
    for folder in (home.conf, home.server_log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    (home.conf / "log4j2.properties").write_text(_LOG4J, encoding="utf-8")


def rotated_size(log: Path) -> int:
    """Rotate a long log; return the size of the current one."""
    size = log.stat().st_size if log.exists() else 0
    if size <= _LOG_LIMIT_BYTES:
        return size
    log.replace(log.with_suffix(".log.1"))
    return 0


def settings(
    home: Home, port: int, master: str, driver_memory: str, jars: Sequence[Path], access: Access
) -> dict[str, str]:
    """Return the Spark configuration of the server, without that of table format and store."""
    class_path = ":".join(map(str, jars))
    java_options = " ".join(
        [
            *java_options_beside(" ".join(os.environ.get(name, "") for name in JAVA_VARIABLES)),
            *(
                f'"-D{name}={value}"'
                for name, value in {
                    "user.timezone": "UTC",
                    # lower() of non-ASCII text depends on it: a Turkish I would have no dot.
                    "user.language": "en",
                    "derby.system.home": home.metastore.parent,
                    "derby.stream.error.file": home.server_log.parent / "derby.log",
                    "java.io.tmpdir": home.scratch,
                    "watershed.home": home.root,
                }.items()
            ),
        ]
    )
    chosen = {
        "spark.app.name": "watershed",
        "spark.master": master,
        "spark.driver.memory": driver_memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Spark keeps plans of statements for its UI: a thousand of megabytes each, with text that is rewritten after
        # each stage.
        "spark.sql.ui.retainedExecutions": "10",
        "spark.sql.thriftserver.ui.retainedStatements": "10",
        "spark.sql.thriftserver.ui.retainedSessions": "10",
        "spark.ui.retainedJobs": "50",
        "spark.ui.retainedStages": "50",
        "spark.ui.retainedTasks": "1000",
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.maxPlanStringLength": "10000",
        "spark.local.dir": str(home.scratch),
        # Not spark.jars: HiveServer2 closes that class loader with the first client's session.
        "spark.driver.extraClassPath": class_path,
        "spark.executor.extraClassPath": class_path,
        "spark.driver.extraJavaOptions": java_options,
        "spark.executor.extraJavaOptions": "-Duser.timezone=UTC -Duser.language=en",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
        # Number of tasks in which a vacuum lists a folder; the default of 10,000 takes half a minute for ten files.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": str(2 * (os.cpu_count() or 1)),
        # It infers filters without benefit here, and takes almost half of the planning time of `events`.
        "spark.sql.constraintPropagation.enabled": "false",
        # Otherwise the first lower() of a server takes 0.8 s, in which ICU computes titles of all characters.
        "spark.sql.icu.caseMappings.enabled": "false",
        # Spark would validate the whole plan after each rule that changed it.
        "spark.sql.lightweightPlanChangeValidation": "false",
        # Otherwise a scan of a table with deletion vectors builds a struct of seven columns for each row.
        "spark.databricks.delta.deletionVectors.useMetadataRowIndex": "false",
        # Sorts, joins and Python buffers allocate whole pages, by default of 64 MB even for ten rows.
        "spark.buffer.pageSize": "4m",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # A worker holds several copies of a batch, and a result of more than 2 GiB fails the query. Rows are bounded
        # too: Spark computes the size of a batch for every row, which for null arrays takes quadratic time.
        "spark.sql.execution.arrow.maxBytesPerBatch": "16777216",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        # Rows of a file decoded at once; the default of 4,096 exceeds any heap with images of 2 MB. A page of one
        # column is decoded as a whole, and would have at least a hundred values.
        "spark.sql.parquet.columnarReaderBatchSize": "16",
        "spark.hadoop.parquet.page.size.row.check.min": "1",
        # Aggregates by row are sorted instead of kept as objects, because 128 objects with such images fill the heap.
        "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "16",
        # Values that never repeat: a dictionary would be built, discarded, and the data written again without it.
        **{f"spark.hadoop.parquet.enable.dictionary#{name}": "false" for name in UNIQUE_COLUMNS},
        # Compaction in builds (macro compact_files): files of less than 64 MiB, to 128 MiB.
        "spark.databricks.delta.optimize.minFileSize": str(64 << 20),
        "spark.databricks.delta.optimize.maxFileSize": str(128 << 20),
        "spark.sql.warehouse.dir": str(home.warehouse),
        "spark.sql.hive.thriftServer.singleSession": "false",
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        # Each new client would try it, and it is only for Hive partitions, which no table here has.
        "spark.hadoop.hive.metastore.try.direct.sql": "false",
        # Hive would store the size of a table at its creation, and Spark would always use that size: it would broadcast
        # tables of gigabytes as if they were small.
        "spark.hadoop.hive.stats.autogather": "false",
        "spark.hadoop.hive.exec.scratchdir": str(home.scratch / "hive"),
        "spark.hadoop.hive.exec.local.scratchdir": str(home.scratch / "hive-local"),
        # A folder per session: Hive creates it when a session opens and deletes it when it closes.
        "spark.hadoop.hive.downloaded.resources.dir": str(home.scratch / "hive-${hive.session.id}"),
        "spark.hadoop.hive.server2.logging.operation.log.location": str(home.scratch / "hive-operations"),
        # With it each session is a separate user, for whom Hive creates a metastore client and reads its XML again for
        # every statement: a fifth of the processor time in a profile of small builds.
        "spark.hadoop.hive.server2.enable.doAs": "false",
        # A metastore client belongs to a thread, so there are few permanent threads. 16 statements run in parallel,
        # others wait.
        "spark.hadoop.hive.server2.async.exec.threads": "16",
        "spark.hadoop.hive.server2.async.exec.keepalive.time": "3600s",
        # A client can run code on the driver, so other machines need a password.
        **access.settings,
        "spark.hadoop.hive.server2.thrift.port": str(port),
        **home_settings(home),
    }
    if master.startswith("local"):
        chosen |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
        # Delta queries its log for the files of each scan: with one task instead of 50.
        chosen["spark.databricks.delta.snapshotPartitions"] = "1"
        # Opening a file is cheap here. Otherwise a dozen small files would weigh as much as a large one, which would
        # then be read by a single task.
        chosen["spark.sql.files.openCostInBytes"] = str(256 << 10)
        # Workers exit after a minute of idleness; a new one would import pandas, PyArrow and the functions again.
        chosen["spark.python.daemon.module"] = "watershed.server.workers"
    if master.startswith("k8s:"):
        # It would expose hive-site.xml, which may contain the metastore password, to every reader of the namespace.
        chosen["spark.kubernetes.executor.disableConfigMap"] = "true"
    if not _is_local(master):
        chosen["spark.submit.pyFiles"] = str(_zip_udfs(home))
    return chosen


def late_settings(jvm: JVMView, home: Home, master: str) -> dict[str, str]:
    """Compile the classes of Watershed, and return the settings that are made after the start of Spark's JVM.

    Args:
        jvm: It runs, and no session of Spark has begun.
        home: Its folder of classes is on the class path of that JVM.
        master: The Spark master; executors on other machines get jars of the classes.

    Raises:
        WatershedError: the functions are not installed.
    """
    try:
        from watershed_udfs.java_functions import install
    except ModuleNotFoundError as error:
        raise _not_installed(error) from error
    late = bucket.late_settings(jvm, home.classes) if home.store else {}
    jar = str(install(jvm, home.classes))
    if not _is_local(master):
        late["spark.jars"] = ",".join([*filter(None, [late.get("spark.jars")]), jar])
    return late


def _is_local(master: str) -> bool:
    """Return whether the tasks of a Spark master run in the JVM of its driver."""
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def _not_installed(error: ModuleNotFoundError) -> WatershedError:
    return WatershedError(f"The package {error.name} is not installed.", "Run `make setup`.")


def java_options_beside(given: str) -> list[str]:
    """Return the default JVM options without overridden ones: with two collectors the JVM would not start.

    Args:
        given: The user's options in JVM syntax.
    """
    return [option for option in JAVA_OPTIONS if _sets(option).isdisjoint(set().union(*map(_sets, given.split())))]


def _sets(option: str) -> set[str]:
    """Return the subject of a JVM option: the collector, or the name of a flag."""
    named = re.match(r"-XX:[+-]?(\w+)", option)
    if named is None:
        return set()
    return {"collector" if re.fullmatch(r"Use[A-Z]\w*GC", named[1]) else named[1]}


def spare_the_cores(jvm_pid: int) -> None:
    """Lower the priority of the JVM's C2 compiler, which takes four tenths of a young server's processor time.

    Thread priorities exist only in Linux; elsewhere nothing is done.
    """
    for thread in Path("/proc").glob(f"{jvm_pid}/task/*"):
        with contextlib.suppress(OSError):  # a thread may end meanwhile
            if (thread / "comm").read_text().startswith("C2 Compiler"):
                number = int(thread.name)
                # Relative to the priority of the server process.
                os.setpriority(os.PRIO_PROCESS, number, os.getpriority(os.PRIO_PROCESS, number) + COMPILER_NICENESS)


def start_thrift(spark: SparkSession, home: Home, file_format: FileFormat) -> list[str]:
    """Register the UDFs for all clients, register landing and open the Thrift endpoint.

    Returns:
        The names of the UDFs.

    Raises:
        WatershedError: the UDFs are not installed or have the name of a built-in function; or the metastore belongs to
            another store.
    """
    try:
        from watershed_udfs.registry import register
    except ModuleNotFoundError as error:
        raise _not_installed(error) from error
    names = list(register(spark))
    _share_functions(spark, names)
    spark.sql("create schema if not exists landing")
    tables = {"messages": home.messages, "files": home.files, "avro_schemas": home.avro_schemas}
    for table, location in tables.items():
        spark.sql(f"create table if not exists landing.{table} using delta location '{location}'")
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    named = jvm.org.apache.spark.sql.catalyst.TableIdentifier("messages", jvm.scala.Some("landing"))
    catalog = spark._jsparkSession.sessionState().catalog()
    check_place(home, catalog.getTableMetadata(named).location().toString())
    if file_format.locks_tables:
        _make_lock_tables(spark, jvm)
    _spare_hive_functions(jvm)
    jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2.startWithSparkSession(spark._jsparkSession, False)
    return names


def check_place(home: Home, location: str) -> None:
    """Check that the metastore refers to the landing tables of `watershed land`.

    Raises:
        WatershedError: its tables are in another store, or in none.
    """
    expected = str(home.messages)
    if location != expected if home.store else location.startswith("s3a:"):
        raise WatershedError(
            f"The metastore has landing.messages at {location}; expected {expected}.",
            f"Restore the previous {VARIABLE}, or use another WATERSHED_HOME (and metastore database).",
        )


def _make_lock_tables(spark: SparkSession, jvm: JVMView) -> None:
    """Create the tables for metastore locks in Derby, which its automatic schema lacks."""
    configuration = jvm.org.apache.hadoop.hive.conf.HiveConf(
        spark._jsparkSession.sessionState().newHadoopConf(),
        jvm.java.lang.Class.forName("org.apache.hadoop.hive.conf.HiveConf"),
    )
    jvm.org.apache.hadoop.hive.metastore.txn.TxnDbUtil.prepDb(configuration)


def _spare_hive_functions(jvm: JVMView) -> None:
    """Mark Hive's functions as registered.

    The end of a session may be the first use of a Hive metastore client in its thread. Hive then registers its
    functions, including one whose classes (hive-llap-common) Spark does not ship, and the client gets an error.
    """
    forms = jvm.java.lang.invoke
    field = jvm.java.lang.Class.forName("org.apache.hadoop.hive.ql.metadata.Hive").getDeclaredField(
        "didRegisterAllFuncs"
    )
    field.setAccessible(True)
    # Py4J converts an AtomicInteger to a number, so it can only be set in Java.
    lookup = forms.MethodHandles.lookup()
    number = jvm.java.lang.Integer.TYPE
    setter = lookup.findVirtual(field.getType(), "set", forms.MethodType.methodType(jvm.java.lang.Void.TYPE, number))
    hive_is_done = 2
    forms.MethodHandles.collectArguments(setter, 0, lookup.unreflectGetter(field)).invokeWithArguments([hive_is_done])


def _share_functions(spark: SparkSession, names: Sequence[str]) -> None:
    """Copy functions of this session into the registry that new sessions inherit (ADR 0001)."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    catalyst = jvm.org.apache.spark.sql.catalyst
    of_session = spark._jsparkSession.sessionState().functionRegistry()
    of_all = catalyst.analysis.FunctionRegistry.builtin()
    for name in names:
        identifier = catalyst.FunctionIdentifier(name)
        if of_all.functionExists(identifier):
            raise WatershedError(
                f"The UDF {name} has the name of a built-in Spark function and would hide it.",
                "Rename it in watershed_udfs.",
            )
        of_all.registerFunction(
            identifier,
            of_session.lookupFunction(identifier).get(),
            of_session.lookupFunctionBuilder(identifier).get(),
        )


def _zip_udfs(home: Home) -> Path:
    """Pack the UDF package for executors on other machines."""
    import watershed_udfs

    package = Path(str(watershed_udfs.__file__)).parent
    path = home.scratch / "watershed_udfs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for module in sorted(package.rglob("*.py")):
            archive.write(module, module.relative_to(package.parent))
    return path
