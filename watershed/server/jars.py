"""Java, and the jars besides Spark's own that pip cannot install: of Delta, Iceberg, Kafka, S3 and PostgreSQL.

`python -m watershed.server.jars` resolves those of Delta once and keeps them in the environment; the others are
resolved when they are first needed. Only the jars listed here may be on Spark's class path: the resolver returns more,
which would hide Spark's own Jackson.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from watershed.errors import WatershedError
from watershed.lock import waiting_lock
from watershed.texts import print_to_stderr

DELTA_VERSION = "4.4.0"
JAVA_VERSIONS = (17, 21)
_JAVA_REMEDY = "Install one, for example: apt-get install openjdk-17-jre-headless (or set JAVA_HOME to one)."


@dataclass(frozen=True)
class Jars:
    """A set of jars in its own folder inside the Python environment.

    Args:
        name: Their name in messages.
        folder_name: Their folder.
        coordinates: The requests to the resolver: packages, and exclusions.
        files: Prefixes of the names of the kept files, and their version.
        keeps_all: Whether dependencies are kept too: for a separate process without Spark's jars.
    """

    name: str
    folder_name: str
    coordinates: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...]
    keeps_all: bool = False

    @property
    def folder(self) -> Path:
        """Their folder inside the Python environment."""
        return Path(sys.prefix) / "share" / "watershed" / self.folder_name


DELTA = Jars(
    "Delta",
    "jars",
    ((f"io.delta:delta-spark_4.1_2.13:{DELTA_VERSION}", ""),),
    (("delta-spark_", DELTA_VERSION), ("delta-storage-", DELTA_VERSION), ("delta-kernel-", DELTA_VERSION)),
)
ICEBERG = Jars(
    "Iceberg",
    "iceberg-jars",
    (("org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0", ""),),
    (("iceberg-spark-runtime-4.1_2.13-", "1.12.0"),),
)
# Spark ships these.
HADOOP_CLIENT = "org.apache.hadoop:hadoop-client-api,org.apache.hadoop:hadoop-client-runtime"
S3 = Jars(
    "S3",
    "s3-jars",
    # The version of the Hadoop client that Spark contains.
    (("org.apache.hadoop:hadoop-aws:3.4.2", HADOOP_CLIENT),),
    (("hadoop-aws-", "3.4.2"), ("bundle-", "2.29.52")),
)
POSTGRESQL = Jars(
    "PostgreSQL", "postgresql-jars", (("org.postgresql:postgresql:42.7.7", ""),), (("postgresql-", "42.7.7"),)
)
_TOKENS = "org.apache.spark:spark-token-provider-kafka-0-10_2.13"
KAFKA = Jars(
    "Kafka",
    "kafka-jars",
    (
        ("org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3", _TOKENS),
        # Not every mirror has version 4.1.3 of this one, which is only used for delegation tokens.
        (f"{_TOKENS}:4.0.0", ""),
    ),
    (
        ("spark-sql-kafka-", "4.1.3"),
        ("spark-token-provider-kafka-", "4.0.0"),
        ("kafka-clients-", "3.9.1"),
        ("commons-pool2-", "2.12.1"),
    ),
)
_RESOLVE = """
import sys
from pyspark.sql import SparkSession
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars.packages", sys.argv[1])
    .config("spark.jars.excludes", sys.argv[2])
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
for jar in spark.sparkContext.getConf().get("spark.jars", "").split(","):
    print("JAR", jar)
spark.stop()
"""


def check_java() -> None:
    """Check that Spark will find a supported Java.

    Raises:
        WatershedError: there is none, or its version is not supported.
    """
    java_home = os.environ.get("JAVA_HOME")
    java = str(Path(java_home) / "bin" / "java") if java_home else shutil.which("java")
    if java is None:
        raise WatershedError("Java is missing: no `java` on PATH and no JAVA_HOME; Spark needs 17 or 21.", _JAVA_REMEDY)
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WatershedError(f"Java cannot be started: {java}: {error}; Spark needs 17 or 21.", _JAVA_REMEDY) from error
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if done.returncode != 0 or not found:
        output = (done.stderr + done.stdout).strip()
        raise WatershedError(f"Java does not run: {java} -version prints {output!r}.", _JAVA_REMEDY)
    if int(found[1]) not in JAVA_VERSIONS:
        raise WatershedError(f"{java} is Java {found[1]}; Spark needs 17 or 21.", _JAVA_REMEDY)


def jars_of(jars: Jars) -> list[Path]:
    """Return the files of the jars, after resolving missing ones.

    Raises:
        WatershedError: Java is missing or the jars are not available.
    """
    if not _complete(jars, jars.folder):
        check_java()
        # Two concurrent resolvers corrupt each other's downloads in the shared cache, even from two environments.
        lock = Path.home() / ".ivy2.5.2" / "watershed.lock"
        with waiting_lock(lock, print_to_stderr):
            if not _complete(jars, jars.folder):
                _install(jars, _resolve(jars), jars.folder)
    return sorted(jars.folder.glob("*.jar"))


def _complete(jars: Jars, folder: Path) -> bool:
    names = [path.name for path in folder.glob("*.jar")]
    return all(any(_is_jar(name, *file) for name in names) for file in jars.files)


def _is_jar(name: str, prefix: str, version: str) -> bool:
    """Return whether a file is the jar; the resolver prefixes the name with the group."""
    return re.fullmatch(rf"([a-z.]+_)?{re.escape(prefix)}.*{re.escape(version)}\.jar", name) is not None


def _resolve(jars: Jars) -> list[Path]:
    """Fetch them and all dependencies with Spark's own resolver, or take them from its cache (~/.ivy2.5.2)."""
    found = [path for question in jars.coordinates for path in _resolver_output(jars, *question)]
    return [path for path in found if jars.keeps_all or any(_is_jar(path.name, *file) for file in jars.files)]


def _resolver_output(jars: Jars, packages: str, excludes: str) -> list[Path]:
    done = subprocess.run(
        [sys.executable, "-c", _RESOLVE, packages, excludes],
        capture_output=True,
        text=True,
        env=spark_environment(),
        check=False,
    )
    found = [Path(line[4:].removeprefix("file://")) for line in done.stdout.splitlines() if line.startswith("JAR ")]
    if done.returncode != 0 or not found:
        relevant = [
            line.strip()
            for line in (done.stdout + done.stderr).splitlines()
            if re.search(r"unresolved|not found|Server access|Exception|refused|timed out|Permission", line)
            and not line.lstrip().startswith("at ")
        ]
        shown = "\n    ".join(relevant[-8:] or (done.stdout + done.stderr).splitlines()[-8:])
        names = ", ".join(f"{prefix}*{version}.jar" for prefix, version in jars.files)
        raise WatershedError(
            f"The {jars.name} jars ({packages}) cannot be resolved:\n    {shown}",
            "Spark's resolver needs access to Maven Central (or a mirror of it), or a filled cache in ~/.ivy2.5.2; "
            f"or put {names} into {jars.folder}.",
        )
    return found


def _install(jars: Jars, files: list[Path], folder: Path) -> None:
    """Copy the jars into a new folder and rename it, so that an incomplete folder is never visible."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".jars-") as parent:
            filled = Path(parent) / "jars"
            filled.mkdir()
            for file in files:
                shutil.copy2(file, filled)
            if folder.exists() and not _complete(jars, folder):
                folder.rename(Path(parent) / "old")
            if not folder.exists():
                filled.rename(folder)
    except OSError as error:
        if not _complete(jars, folder):  # else another process was faster
            raise WatershedError(
                f"The {jars.name} jars cannot be written to {folder}: {error.strerror or error}.",
                "Use a writable virtual environment.",
            ) from error
    if not _complete(jars, folder):
        names = ", ".join(file.name for file in files) or "none"
        raise WatershedError(f"The resolver did not return all jars of {jars.name}; found: {names}.")


def spark_environment() -> dict[str, str]:
    """Return the environment for Spark: this Python, its own Spark despite other installations, and no password."""
    import pyspark

    names = {"PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", "SPARK_REMOTE"}
    kept = {
        name: value for name, value in os.environ.items() if name not in names and not name.startswith("DBT_ENV_SECRET")
    }
    return kept | {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


def main() -> None:
    """Check Java, resolve the jars, print their folder."""
    try:
        check_java()
        files = jars_of(DELTA)
    except WatershedError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"Delta {DELTA_VERSION}: {len(files)} jars in {DELTA.folder}")


if __name__ == "__main__":
    main()
