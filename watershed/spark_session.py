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

from watershed import store
from watershed.access import LOOPBACK, Access
from watershed.errors import WatershedError
from watershed.file_format import FileFormat
from watershed.home import Home
from watershed.server import home_settings
from watershed.store import VARIABLE

if TYPE_CHECKING:
    from py4j.java_gateway import JVMView
    from pyspark.sql import SparkSession

JAVA_OPTIONS = (
    # No work beside that of the rows: a tenth less than G1 on two cores (docs/performance.md).
    "-XX:+UseParallelGC",
    # The JVM's own 240 MB fill with generated classes, and then it throws out the planner's compiled code.
    "-XX:ReservedCodeCacheSize=512m",
    # A heap that grows step by step is cleaned at each step, as is that of the classes.
    "-XX:InitialRAMPercentage=8",
    "-XX:MetaspaceSize=512m",
    # Else HotSpot interprets each method of more than 8,000 bytecodes, among them the stage that opens messages.
    "-XX:-DontCompileHugeMethods",
)
# The second compiler gets four tenths of what a statement gets; with 10 a load of 10^6 took 1.4 times as long.
COMPILER_NICENESS = 4
# What the JVM reads besides its command line; names there are the user's.
JAVA_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")

UNIQUE_COLUMNS = ("change_id", "row_image", "row_id", "last_change_id")

_LOG_LIMIT_BYTES = 20_000_000

# Everything that Spark logs goes to stderr of its JVM, which is the server's log file.
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
    """Make the server's folders, empty its scratch and write the logging configuration."""
    shutil.rmtree(home.scratch, ignore_errors=True)
    for folder in (home.scratch, home.classes, home.warehouse, home.scratch / "hive-local"):
        folder.mkdir(parents=True, exist_ok=True)
    write_log_configuration(home)


def write_log_configuration(home: Home) -> None:
    """Say what Spark logs, and make the folder of the logs."""
    for folder in (home.conf, home.server_log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    (home.conf / "log4j2.properties").write_text(_LOG4J, encoding="utf-8")


def rotated_size(log: Path) -> int:
    """Put a long log aside; return the size of what stays."""
    size = log.stat().st_size if log.exists() else 0
    if size <= _LOG_LIMIT_BYTES:
        return size
    log.replace(log.with_suffix(".log.1"))
    return 0


def settings(
    home: Home, port: int, master: str, driver_memory: str, jars: Sequence[Path], access: Access
) -> dict[str, str]:
    """Return the Spark configuration of the server, without that of the tables' format and places."""
    class_path = ":".join(map(str, jars))
    java_options = " ".join(
        [
            *java_options_beside(" ".join(os.environ.get(name, "") for name in JAVA_VARIABLES)),
            *(
                f'"-D{name}={value}"'
                for name, value in {
                    "user.timezone": "UTC",
                    # lower() of what is not ASCII goes by it: a Turkish I would have no dot.
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
        # What Spark remembers of statements though no page shows it: plans of megabytes each, a thousand of them, and
        # text of them that is written anew after each stage.
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
        "spark.executor.extraJavaOptions": "-Duser.timezone=UTC -Duser.language=en -XX:-DontCompileHugeMethods",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
        # A vacuum lists the folder of a table in as many tasks, else 10,000: half a minute for ten files.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": str(2 * (os.cpu_count() or 1)),
        # It would infer filters that nothing here gains from, and is almost half of what planning `events` takes.
        "spark.sql.constraintPropagation.enabled": "false",
        # Else the first lower() of a server waits 0.8 s, in which ICU works out the titles of all characters.
        "spark.sql.icu.caseMappings.enabled": "false",
        # Spark would look through the whole plan behind each rule that changed it, for mistakes of its own.
        "spark.sql.lightweightPlanChangeValidation": "false",
        # Else a scan of a table with deletion vectors makes a structure of seven columns for each row.
        "spark.databricks.delta.deletionVectors.useMetadataRowIndex": "false",
        # What sorts, joins or waits for Python takes memory by the page, else of 64 MB, for ten rows too.
        "spark.buffer.pageSize": "4m",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # A worker holds a batch several times over, and a result of over 2 GiB fails the query. Rows are bound too:
        # Spark sizes a batch anew for every row, and for null arrays that takes time in the square of the rows.
        "spark.sql.execution.arrow.maxBytesPerBatch": "16777216",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        # Rows of a file that are unpacked at once, else 4,096: of images of 2 MB that is more than any heap. A page of
        # one column is unpacked whole, and would have a hundred values at least.
        "spark.sql.parquet.columnarReaderBatchSize": "16",
        "spark.hadoop.parquet.page.size.row.check.min": "1",
        # What is gathered by row is sorted rather than kept in objects, of which 128 with such images fill the heap.
        "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "16",
        # Values that never repeat: a dictionary of them is built, given up and written again without it.
        **{f"spark.hadoop.parquet.enable.dictionary#{name}": "false" for name in UNIQUE_COLUMNS},
        # What builds put together (macro put_files_together): files of less than 64 MiB, to 128 MiB.
        "spark.databricks.delta.optimize.minFileSize": str(64 << 20),
        "spark.databricks.delta.optimize.maxFileSize": str(128 << 20),
        "spark.sql.warehouse.dir": str(home.warehouse),
        "spark.sql.hive.thriftServer.singleSession": "false",
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        # Each client would try it when it is made, and it serves Hive's partitions alone, which no table here has.
        "spark.hadoop.hive.metastore.try.direct.sql": "false",
        # Hive would note the size that a table has when it is made, and Spark would take that for its size ever after:
        # it would bring tables of gigabytes to every task as if they were small.
        "spark.hadoop.hive.stats.autogather": "false",
        "spark.hadoop.hive.exec.scratchdir": str(home.scratch / "hive"),
        "spark.hadoop.hive.exec.local.scratchdir": str(home.scratch / "hive-local"),
        # A folder per session: Hive makes it when a session opens and deletes it when it closes.
        "spark.hadoop.hive.downloaded.resources.dir": str(home.scratch / "hive-${hive.session.id}"),
        "spark.hadoop.hive.server2.logging.operation.log.location": str(home.scratch / "hive-operations"),
        # With it each session is a user of its own, for whom Hive makes a new metastore client and reads its XML again
        # for every statement: a fifth of the processor in a profile of small builds.
        "spark.hadoop.hive.server2.enable.doAs": "false",
        # A metastore client belongs to a thread: few threads, that stay. 16 statements run at once, others wait.
        "spark.hadoop.hive.server2.async.exec.threads": "16",
        "spark.hadoop.hive.server2.async.exec.keepalive.time": "3600s",
        # A client can run code on the driver: other machines reach it with a password alone.
        **access.settings,
        "spark.hadoop.hive.server2.thrift.port": str(port),
        **home_settings(home),
    }
    if master.startswith("local"):
        chosen |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
        # Delta asks its log for the files of each scan: a task each time, and not 50.
        chosen["spark.databricks.delta.snapshotPartitions"] = "1"
        # To open a file costs little here. Else a dozen small ones weigh as much as the one large beside them, and that
        # one is read by a single task.
        chosen["spark.sql.files.openCostInBytes"] = str(256 << 10)
        # Workers end when they were idle for a minute; a new one would import pandas, PyArrow and the functions again.
        chosen["spark.python.daemon.module"] = "watershed.workers"
    if master.startswith("k8s:"):
        # It would show hive-site.xml, which may have the password of the metastore, to whoever may read the namespace.
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
    late = store.late_settings(jvm, home.classes) if home.store else {}
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
    """Return our options of the JVM without those that the user's say otherwise: of two collectors none would start.

    Args:
        given: The user's options, as the JVM reads them.
    """
    return [option for option in JAVA_OPTIONS if _sets(option).isdisjoint(set().union(*map(_sets, given.split())))]


def _sets(option: str) -> set[str]:
    """Return what an option of the JVM decides: the collector, or the name of a flag."""
    named = re.match(r"-XX:[+-]?(\w+)", option)
    if named is None:
        return set()
    return {"collector" if re.fullmatch(r"Use[A-Z]\w*GC", named[1]) else named[1]}


def spare_the_cores(jvm_pid: int) -> None:
    """Let the JVM's second compiler give way to statements: of a young server's processor time it takes four tenths.

    Priorities are of threads in Linux alone; elsewhere nothing is done.
    """
    for thread in Path("/proc").glob(f"{jvm_pid}/task/*"):
        with contextlib.suppress(OSError):  # a thread may end meanwhile
            if (thread / "comm").read_text().startswith("C2 Compiler"):
                number = int(thread.name)
                # Beside the server's own, which is that of who started it.
                os.setpriority(os.PRIO_PROCESS, number, os.getpriority(os.PRIO_PROCESS, number) + COMPILER_NICENESS)


def start_thrift(spark: SparkSession, home: Home, file_format: FileFormat) -> list[str]:
    """Register the UDFs for all clients, make landing known and open the Thrift endpoint.

    Returns:
        The names of the UDFs.

    Raises:
        WatershedError: the UDFs are not installed or take the name of a function that Spark has; or the metastore is of
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
    """Check that the metastore knows the landing that `watershed land` writes.

    Raises:
        WatershedError: its tables lie in another store, or in none.
    """
    expected = str(home.messages)
    if location != expected if home.store else location.startswith("s3a:"):
        raise WatershedError(
            f"The metastore has landing.messages at {location}; expected {expected}.",
            f"Set {VARIABLE} as it was, or take another WATERSHED_HOME (and database of the metastore).",
        )


def _make_lock_tables(spark: SparkSession, jvm: JVMView) -> None:
    """Make the tables of the metastore's locks in Derby: the schema that it makes of itself leaves them out."""
    configuration = jvm.org.apache.hadoop.hive.conf.HiveConf(
        spark._jsparkSession.sessionState().newHadoopConf(),
        jvm.java.lang.Class.forName("org.apache.hadoop.hive.conf.HiveConf"),
    )
    jvm.org.apache.hadoop.hive.metastore.txn.TxnDbUtil.prepDb(configuration)


def _spare_hive_functions(jvm: JVMView) -> None:
    """Tell Hive that its own functions are registered.

    The end of a session may be the first that asks Hive for a metastore client in its thread. Hive then registers its
    functions, among them one whose classes (hive-llap-common) Spark does not ship, and the client gets an error.
    """
    forms = jvm.java.lang.invoke
    field = jvm.java.lang.Class.forName("org.apache.hadoop.hive.ql.metadata.Hive").getDeclaredField(
        "didRegisterAllFuncs"
    )
    field.setAccessible(True)
    # Py4J hands an AtomicInteger out as a number, so that it can only be set on the side of Java.
    lookup = forms.MethodHandles.lookup()
    number = jvm.java.lang.Integer.TYPE
    setter = lookup.findVirtual(field.getType(), "set", forms.MethodType.methodType(jvm.java.lang.Void.TYPE, number))
    hive_is_done = 2
    forms.MethodHandles.collectArguments(setter, 0, lookup.unreflectGetter(field)).invokeWithArguments([hive_is_done])


def _share_functions(spark: SparkSession, names: Sequence[str]) -> None:
    """Copy functions of this session into the registry that every new session starts from (ADR 0001)."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    catalyst = jvm.org.apache.spark.sql.catalyst
    of_session = spark._jsparkSession.sessionState().functionRegistry()
    of_all = catalyst.analysis.FunctionRegistry.builtin()
    for name in names:
        identifier = catalyst.FunctionIdentifier(name)
        if of_all.functionExists(identifier):
            raise WatershedError(
                f"The UDF {name} has the name of a function that Spark has, and would hide it.",
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
