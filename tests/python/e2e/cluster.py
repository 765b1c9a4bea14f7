"""Clusters of their own on this machine, of PySpark's jars: Spark's standalone one, and YARN with those of Maven."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from ports import ADDRESS, SECONDS, free_ports, wait_for

from watershed.server.jars import HADOOP_CLIENT, Jars, jars_of, spark_environment

# A resource manager and a node of YARN, in addition to Spark's jars; two required packages are not declared by them.
YARN = Jars(
    "YARN (of tests)",
    "yarn-jars",
    (
        (
            "org.apache.hadoop:hadoop-client-minicluster:3.4.2,org.bouncycastle:bcpkix-jdk18on:1.78.1,"
            "org.glassfish.jaxb:jaxb-runtime:2.3.9",
            HADOOP_CLIENT,
        ),
    ),
    (("hadoop-client-minicluster-", "3.4.2"), ("bcpkix-jdk18on-", "1.78.1"), ("jaxb-runtime-", "2.3.9")),
    keeps_all=True,
)


@dataclass
class Cluster:
    """A running cluster.

    Args:
        master: What a server names it by.
        workers: The processes that start executors.
        variables: Further environment variables that a server on it needs.
        defaults: The content of its spark-defaults.conf.
    """

    master: str
    workers: list[subprocess.Popen[bytes]]
    # Executors call the driver back; on this machine by no other address.
    variables: dict[str, str] = field(default_factory=lambda: {"SPARK_LOCAL_IP": ADDRESS})
    defaults: dict[str, str] = field(default_factory=dict)

    def executors(self) -> list[psutil.Process]:
        """The JVMs of the executors that run now."""
        children = [child for worker in self.workers for child in psutil.Process(worker.pid).children(recursive=True)]
        return [child for child in children if child.name() == "java" and _is_executor(child.cmdline())]


def _is_executor(command: list[str]) -> bool:
    return any(word.endswith("CoarseGrainedExecutorBackend") for word in command)


@contextlib.contextmanager
def running_cluster(folder: Path, workers: int = 2, cores: int = 1) -> Iterator[Cluster]:
    """Run a master and workers with this many cores each; their logs are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        log = folder / "master.log"
        deploy = "org.apache.spark.deploy"
        master_options = ("--host", ADDRESS, "--port", "0", "--webui-port", "0")
        held.enter_context(_started(f"{deploy}.master.Master", log, *master_options))
        master = _master_of(log)
        options = ("--host", ADDRESS, "--cores", str(cores), "--memory", "2g", "--webui-port", "0")
        started = [
            held.enter_context(
                _started(
                    f"{deploy}.worker.Worker", folder / f"worker-{number}.log", *options,
                    "--work-dir", str(folder / f"work-{number}"), master,
                )
            )
            for number in range(workers)
        ]  # fmt: skip
        yield Cluster(master, started)


@contextlib.contextmanager
def running_yarn(folder: Path, nodes: int = 2) -> Iterator[Cluster]:
    """Run a resource manager and nodes of which each has room for one executor; no HDFS, but the files of this machine.

    Their logs and those of containers are in the folder.
    """
    names = ("", ".scheduler", ".resource-tracker", ".admin")
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    manager = {f"yarn.resourcemanager{name}.address": f"{ADDRESS}:{port}" for name, port in ports.items()} | {
        "yarn.resourcemanager.webapp.address": f"{ADDRESS}:0",
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        # Else a tenth of the memory is for the masters of applications, which is less than one of them takes.
        "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5",
        "yarn.scheduler.minimum-allocation-mb": "256",
    }
    with contextlib.ExitStack() as held:
        server = "org.apache.hadoop.yarn.server"
        conf = _hadoop_conf(folder / "conf", manager)
        held.enter_context(_started(f"{server}.resourcemanager.ResourceManager", folder / "yarn.log", conf=conf))
        wait_for(ports[".resource-tracker"])
        started = []
        for number in range(nodes):
            work = folder / f"node-{number}"
            node = manager | {
                "yarn.nodemanager.address": f"{ADDRESS}:0",
                "yarn.nodemanager.localizer.address": f"{ADDRESS}:0",
                "yarn.nodemanager.webapp.address": f"{ADDRESS}:0",
                "yarn.nodemanager.local-dirs": str(work / "local"),
                "yarn.nodemanager.log-dirs": str(work / "logs"),
                "yarn.nodemanager.resource.memory-mb": "3072",
                "yarn.nodemanager.resource.cpu-vcores": "2",
                # A container that takes more memory than it asked for is killed: Hadoop 3.4 leaves that to cgroups.
                "yarn.nodemanager.resource.memory.enforced": "false",
                "yarn.nodemanager.vmem-check-enabled": "false",
                # It would give up on a disk that is nine tenths full.
                "yarn.nodemanager.disk-health-checker.enable": "false",
            }
            conf_of_node = _hadoop_conf(work / "conf", node)
            started.append(
                held.enter_context(_started(f"{server}.nodemanager.NodeManager", work / "node.log", conf=conf_of_node))
            )
        yield Cluster(
            "yarn",
            started,
            {"SPARK_LOCAL_IP": ADDRESS, "HADOOP_CONF_DIR": str(conf)},
            {
                "spark.executor.instances": str(nodes),
                "spark.executor.memory": "1g",
                # Of the JVM itself and of the workers in Python.
                "spark.executor.memoryOverhead": "1g",
                "spark.yarn.jars": f"local:{spark_environment()['SPARK_HOME']}/jars/*",
                "spark.yarn.stagingDir": str(folder / "staging"),
                **{
                    f"spark.{of}.{name}": value
                    for of in ("executorEnv", "yarn.appMasterEnv")
                    for name, value in {"JAVA_HOME": _java_home(), "SPARK_LOCAL_IP": ADDRESS}.items()
                },
            },
        )


def _hadoop_conf(folder: Path, properties: Mapping[str, str]) -> Path:
    """Write a folder that HADOOP_CONF_DIR may name."""
    folder.mkdir(parents=True)
    lines = (f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items())
    (folder / "yarn-site.xml").write_text("\n".join(["<configuration>", *lines, "</configuration>"]))
    return folder


def _java_home() -> str:
    java = shutil.which("java")
    assert java is not None
    return os.environ.get("JAVA_HOME") or str(Path(java).resolve().parent.parent)


@contextlib.contextmanager
def _started(name: str, log: Path, *options: str, conf: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a class of Spark, or of Hadoop with the configuration that is given."""
    environment = spark_environment() | {"SPARK_LOCAL_IP": ADDRESS, "SPARK_DAEMON_MEMORY": "256m"}
    if conf is not None:
        environment |= {
            "HADOOP_CONF_DIR": str(conf),
            "SPARK_DIST_CLASSPATH": ":".join(map(str, jars_of(YARN))),
            # How spark-class names it for classes that it does not know.
            "SPARK_DRIVER_MEMORY": "256m",
        }
    command = [f"{environment['SPARK_HOME']}/bin/spark-class", name, *options]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS)


def _master_of(log: Path) -> str:
    deadline = time.monotonic() + SECONDS
    while True:
        for line in log.read_text().splitlines():
            if "Starting Spark master at " in line:
                return line.rsplit(" ", 1)[1]
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.2)
