"""`watershed serve`: the Thrift server in the foreground, from its locks to its clean exit."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from watershed.errors import WatershedError
from watershed.home import Home, find_home, find_project_dir
from watershed.landing.tables import ensure_landing_tables
from watershed.lock import Lock
from watershed.server import bucket
from watershed.server.access import LOOPBACK, Access, access_of
from watershed.server.client import NoServerError, configured_port, connect, refuses_strangers, run
from watershed.server.file_format import FileFormat, configured_format
from watershed.server.jars import DELTA_VERSION, check_java, jars_of, spark_environment
from watershed.server.metastore import Metastore, metastore_of
from watershed.server.spark_session import (
    late_settings,
    prepare_home,
    rotated_size,
    settings,
    start_thrift,
)
from watershed.store import VARIABLE
from watershed.texts import print_to_stderr

_STOP_SECONDS = 8.0
_ORPHAN_SECONDS = 20.0
_ANSWER_SECONDS = 180.0
# A password is checked before any statement runs.
_REFUSAL_SECONDS = 30.0


def serve(
    host: str, port: int | None, master: str, driver_memory: str, on_start: Callable[[], None] = lambda: None
) -> int:
    """Run the server until SIGTERM, SIGINT or a crash.

    Args:
        host: The address to listen on; addresses other than loopback require passwords and TLS.
        port: The port; None uses WATERSHED_PORT or 10000, 0 a free one.
        master: The Spark master.
        driver_memory: Memory of the driver's JVM, in Spark's notation.
        on_start: Called once home and port are known to be free.

    Returns: 0 after a requested stop.

    Raises:
        WatershedError: it cannot start, or the JVM died.
    """
    home = find_home(find_project_dir())
    requested_port = configured_port() if port is None else port
    access = access_of(home, host)
    file_format = configured_format()
    metastore = metastore_of(home)
    if file_format.locks_tables and (home.store or metastore.shared):
        raise WatershedError(
            f"Tables of {file_format.name} are for a home of its own: {VARIABLE} and PostgreSQL need Delta.",
            "See: docs/cluster.md",
        )
    check_java()
    with _only_server(home, requested_port) as lock:
        chosen_port = _free_port(host, requested_port)
        lock.describe(host=access.client_host, port=chosen_port, is_guarded=access.is_guarded)
        on_start()
        jars = [file for jars in (*file_format.jars, *metastore.jars) for file in jars_of(jars)]
        prepare_home(home)
        jars += bucket.class_path_of(home.classes) if home.store else [home.classes]
        ensure_landing_tables(home, on_wait=print_to_stderr)
        server = _Server(home, lock, access, file_format, metastore, chosen_port)
        chosen = settings(home, chosen_port, master, driver_memory, jars, access)
        of_tables = dict(file_format.settings) | metastore.settings | (bucket.settings() if home.store else {})
        return server.run(chosen | of_tables)


class _Server:
    """One run of the server: a JVM, its session, and the signals that end it."""

    def __init__(
        self, home: Home, lock: Lock, access: Access, file_format: FileFormat, metastore: Metastore, port: int
    ) -> None:
        self._home = home
        self._lock = lock
        self._access = access
        self._format = file_format
        self._metastore = metastore
        self._port = port
        self._jvm: subprocess.Popen[bytes] | None = None
        self._stopping = False
        self._interruptible = False

    def run(self, configuration: dict[str, str]) -> int:
        """Start, print the address, wait for a signal, stop."""
        self._take_signals()
        try:
            self._start(configuration)
            while not self._stopping:
                self._check_alive()
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self._stop()
        return 0

    def _take_signals(self) -> None:
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        self._stopping = True
        if self._interruptible:
            self._interruptible = False
            raise KeyboardInterrupt

    def _start(self, configuration: dict[str, str]) -> None:
        from py4j.protocol import Py4JError
        from pyspark import SparkConf, SparkContext
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        environment = spark_environment()  # before the cleanup, which keeps the user's settings
        os.environ.clear()
        os.environ.update(environment, SPARK_CONF_DIR=str(self._home.conf))
        if configuration["spark.master"].startswith("local"):
            os.environ["SPARK_LOCAL_IP"] = LOOPBACK
        log_start = rotated_size(self._home.server_log)
        conf = SparkConf(loadDefaults=False)
        conf.setAll(list(configuration.items()))
        try:
            with _output_to(self._home.server_log):
                SparkContext._ensure_initialized(conf=conf)
            self._jvm = SparkContext._gateway.proc  # type: ignore[union-attr]
            self._lock.describe(
                host=self._access.client_host,
                port=self._port,
                is_guarded=self._access.is_guarded,
                jvm_pid=self._jvm.pid,
            )
            self._interruptible = True
            if self._stopping:
                raise KeyboardInterrupt
            jvm = SparkContext._jvm
            assert jvm is not None
            conf.setAll(list(late_settings(jvm, self._home, configuration["spark.master"]).items()))
            with self._metastore.prepared(jvm):
                spark = SparkSession.builder.config(conf=conf).enableHiveSupport().getOrCreate()
                self._take_signals()  # Spark's context has installed its own handler
                # If the JVM exits first, PySpark's accumulator server would print a traceback at every stop.
                spark.sparkContext._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]
                udfs = start_thrift(spark, self._home, self._format)
            self._wait_for_answer(log_start)
        except (Py4JError, PySparkException) as error:
            raise WatershedError(f"Spark did not start: {_reason(error)}", self._log_errors(log_start)) from error
        print(
            f"Watershed serves {self._access.host}:{self._port} (Spark {spark.version}, Delta {DELTA_VERSION}, "
            f"{len(udfs)} UDFs, home {self._home.root}); stop with Ctrl-C",
            flush=True,
        )

    def _wait_for_answer(self, log_start: int) -> None:
        """Wait until an own client gets an answer that requires Delta, or is rejected because of its password."""
        host = self._access.client_host
        deadline = time.monotonic() + (_REFUSAL_SECONDS if self._access.is_guarded else _ANSWER_SECONDS)
        while True:
            self._check_alive()
            try:
                self._query_once(host)
                return
            except NoServerError as error:
                if time.monotonic() > deadline:
                    raise WatershedError(
                        f"Spark runs, but does not answer at {host}:{self._port}: {error}",
                        self._log_errors(log_start),
                    ) from error
                time.sleep(0.2)

    def _query_once(self, host: str) -> None:
        if not self._access.is_guarded:
            with connect(host, self._port) as cursor:
                run(cursor, "select 1 from landing.messages limit 0")
        elif not refuses_strangers(host, self._port):
            raise WatershedError(
                "The server accepted a random password and was shut down.",
                f"Correct the authenticator configured in {self._home.hive_site}.",
            )

    def _check_alive(self) -> None:
        if self._jvm is not None and self._jvm.poll() is not None:
            raise WatershedError(
                f"Spark's JVM ended unexpectedly (exit code {self._jvm.returncode}).",
                f"Its log is {self._home.server_log}. If memory ran out, increase --driver-memory.",
            )

    def _log_errors(self, log_start: int) -> str:
        with self._home.server_log.open("rb") as log:
            log.seek(log_start)
            lines = log.read().decode(errors="replace").splitlines()
        errors = [line.strip() for line in lines if "Error" in line or "Exception" in line or "ERROR" in line][:5]
        return "\n  ".join([f"Its log is {self._home.server_log}.", *errors])

    def _stop(self) -> None:
        """Stop the JVM: it exits when its input closes, and is killed if that takes too long."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if self._jvm is None:
            return
        if self._jvm.stdin is not None:
            with contextlib.suppress(OSError):
                self._jvm.stdin.close()
        try:
            self._jvm.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._jvm.kill()
            self._jvm.wait()


@contextlib.contextmanager
def _only_server(home: Home, port: int) -> Iterator[Lock]:
    """Hold the server's lock of a home, once the JVM of a killed server has released it."""
    lock = Lock(home.server_lock)
    try:
        if not lock.try_acquire():
            holder = lock.holder()
            raise WatershedError(
                f"Another server runs on this home: process {holder.get('pid', 'unknown')}, "
                f"port {holder.get('port', 'unknown')}, home {home.root}.",
                "Use it, stop it, or set WATERSHED_HOME to another folder.",
            )
        _wait_for_orphan(home, lock.holder().get("jvm_pid"))
        lock.describe(port=port)
        yield lock
    finally:
        lock.release()


def _wait_for_orphan(home: Home, pid: object) -> None:
    deadline = time.monotonic() + _ORPHAN_SECONDS
    while isinstance(pid, int) and _is_our_jvm(home, pid):
        if time.monotonic() > deadline:
            raise WatershedError(
                f"The JVM of a killed server still holds the metastore of {home.root}: process {pid}.",
                f"End it: kill {pid}",
            )
        time.sleep(0.1)


def _is_our_jvm(home: Home, pid: int) -> bool:
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return f"-Dwatershed.home={home.root}\0".encode() in arguments


def _free_port(host: str, port: int) -> int:
    """Return the port, or a free one for 0.

    Raises:
        WatershedError: it is taken (with the process, if visible), or not permitted.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except PermissionError as error:
            raise WatershedError(f"Port {port} is reserved for root.", "Choose one above 1023 with --port.") from error
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise WatershedError(
                    f"--host {host} is not an address of this machine.", "`ip address` lists them."
                ) from error
            raise WatershedError(
                f"Port {port} on {host} is taken{_process_on_port(port)}.",
                "Stop that process, or choose another port with --port or WATERSHED_PORT (--port 0 takes a free one).",
            ) from error
        return int(probe.getsockname()[1])


def _process_on_port(port: int) -> str:
    try:
        import psutil  # type: ignore[import-untyped]
    except ImportError:
        return ""
    with contextlib.suppress(psutil.Error, OSError):
        for connection in psutil.net_connections(kind="tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
                return f" by process {connection.pid} ({psutil.Process(connection.pid).name()})"
    return ""


@contextlib.contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Redirect the output of processes started meanwhile, the JVM and its Python workers, to the log."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with log.open("ab") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for descriptor in kept:
            os.close(descriptor)


def _reason(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    with contextlib.suppress(Exception):
        if java is not None:
            return str(java.toString()).split("\n", 1)[0]
    return str(error).strip().split("\n", 1)[0]
