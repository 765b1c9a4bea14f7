"""The Spark session of the server: its settings, the UDFs and the Thrift endpoint."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

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
    # No concurrent work: a tenth less than G1 on two cores (benchmarks/NOTES.md).
    "-XX:+UseParallelGC",
    # The JVM's default of 240 MB fills with generated classes, and then it discards the planner's compiled code.
    "-XX:ReservedCodeCacheSize=512m",
    # A heap that grows stepwise is collected at each step, as is the metaspace.
    "-XX:InitialRAMPercentage=8",
    "-XX:MetaspaceSize=512m",
    # HotSpot interprets methods of more than 8,000 bytecodes otherwise, among them stages that open messages.
    "-XX:-DontCompileHugeMethods",
)
# Classes that Spark generates are left to C1: C2 takes over ten seconds for one method of `events`, compiles nothing
# else meanwhile, and cannot compile methods of more than some sixty parameters (decision 0028).
SERVER_JAVA_OPTIONS = (
    *JAVA_OPTIONS,
    "-XX:+UnlockDiagnosticVMOptions",
    f'-XX:CompilerDirectivesFile="{Path(__file__).with_name("compiler_directives.json")}"',
)
# Variables that the JVM reads besides its command line; options in them belong to the user.
JAVA_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")

SETTINGS_FILE = Path(__file__).with_name("settings.yml")
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
    """Return the Spark configuration of the server (settings.yml), without that of the table format and the store."""
    cores = os.cpu_count() or 1
    values: dict[str, object] = {
        "master": master,
        "driver_memory": driver_memory,
        "class_path": ":".join(map(str, jars)),
        "port": port,
        "cores": cores,
        "tasks": 2 * cores,
        "loopback": LOOPBACK,
        "root": home.root,
        "logs": home.server_log.parent,
        "scratch": home.scratch,
        "warehouse": home.warehouse,
    }
    sections: dict[str, dict[str, str]] = yaml.safe_load(SETTINGS_FILE.read_text(encoding="utf-8"))
    given = " ".join(os.environ.get(name, "") for name in JAVA_VARIABLES)
    own = [f'"-D{name}={value.format_map(values)}"' for name, value in sections["java_options"].items()]
    values["java_options"] = " ".join([*java_options_not_overridden(given, SERVER_JAVA_OPTIONS), *own])
    names = ["every_master"]
    if master.startswith("local"):
        names.append("local_master")
    if master.startswith("k8s:"):
        names.append("kubernetes_master")
    chosen = {name: value.format_map(values) for section in names for name, value in sections[section].items()}
    if not _is_local(master):
        chosen["spark.submit.pyFiles"] = str(_zip_udfs(home))
    # A client can run code on the driver, so other machines are admitted only with a password (access).
    return chosen | dict(access.settings) | home_settings(home)


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


def java_options_not_overridden(given: str, options: Sequence[str] = JAVA_OPTIONS) -> list[str]:
    """Return JVM options without overridden ones: with two collectors the JVM would not start.

    Args:
        given: The user's options in JVM syntax.
        options: The options of Watershed.
    """
    return [option for option in options if _sets(option).isdisjoint(set().union(*map(_sets, given.split())))]


def _sets(option: str) -> set[str]:
    """Return the subject of a JVM option: the collector, or the name of a flag."""
    named = re.match(r"-XX:[+-]?(\w+)", option)
    # An option that unlocks others may be repeated.
    if named is None or named[1].startswith("Unlock"):
        return set()
    return {"collector" if re.fullmatch(r"Use[A-Z]\w*GC", named[1]) else named[1]}


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
    check_landing_location(home, catalog.getTableMetadata(named).location().toString())
    if file_format.locks_tables:
        _create_lock_tables(spark, jvm)
    _mark_hive_functions_registered(jvm)
    jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2.startWithSparkSession(spark._jsparkSession, False)
    return names


def check_landing_location(home: Home, location: str) -> None:
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


def _create_lock_tables(spark: SparkSession, jvm: JVMView) -> None:
    """Create the tables for metastore locks in Derby, which its automatic schema lacks."""
    configuration = jvm.org.apache.hadoop.hive.conf.HiveConf(
        spark._jsparkSession.sessionState().newHadoopConf(),
        jvm.java.lang.Class.forName("org.apache.hadoop.hive.conf.HiveConf"),
    )
    jvm.org.apache.hadoop.hive.metastore.txn.TxnDbUtil.prepDb(configuration)


def _mark_hive_functions_registered(jvm: JVMView) -> None:
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
            identifier, of_session.lookupFunction(identifier).get(), of_session.lookupFunctionBuilder(identifier).get()
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
