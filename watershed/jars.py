"""Java and the Delta jars: what the server needs that pip cannot install.

`python -m watershed.jars` resolves the jars once and keeps those of io.delta beside the environment. Only these may
stand on Spark's class path: all that the resolver brings would hide Spark's own jackson.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from watershed.errors import WatershedError

DELTA_VERSION = "4.4.0"
DELTA_COORDINATES = f"io.delta:delta-spark_4.1_2.13:{DELTA_VERSION}"
JAVA_VERSIONS = (17, 21)
_JAVA_REMEDY = "Install one, for example: apt-get install openjdk-17-jre-headless (or set JAVA_HOME to one)."
_NEEDED = ("delta-spark_", "delta-storage-", "delta-kernel-")
_RESOLVE = """
import sys
from pyspark.sql import SparkSession
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars.packages", sys.argv[1])
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
for jar in spark.sparkContext.getConf().get("spark.jars", "").split(","):
    print("JAR", jar)
spark.stop()
"""


def jars_dir() -> Path:
    """Return where the Delta jars are kept: inside the Python environment."""
    return Path(sys.prefix) / "share" / "watershed" / "jars"


def check_java() -> None:
    """Check that Spark will find a Java that it runs on.

    Raises:
        WatershedError: there is none, or its version is another one.
    """
    java_home = os.environ.get("JAVA_HOME")
    java = str(Path(java_home) / "bin" / "java") if java_home else shutil.which("java")
    if java is None:
        raise WatershedError("Java is missing: no `java` on PATH and no JAVA_HOME; Spark needs 17 or 21.", _JAVA_REMEDY)
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WatershedError(f"Java does not run: {java}: {error}; Spark needs 17 or 21.", _JAVA_REMEDY) from error
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if done.returncode != 0 or not found:
        output = (done.stderr + done.stdout).strip()
        raise WatershedError(f"Java does not run: {java} -version says {output!r}.", _JAVA_REMEDY)
    if int(found[1]) not in JAVA_VERSIONS:
        raise WatershedError(f"{java} is Java {found[1]}; Spark needs 17 or 21.", _JAVA_REMEDY)


def delta_jars() -> list[Path]:
    """Return the Delta jars, resolving them first if they are not there.

    Raises:
        WatershedError: Java is missing or the jars cannot be had.
    """
    folder = jars_dir()
    if not _complete(folder):
        check_java()
        _install(_resolve(), folder)
    return sorted(folder.glob("*.jar"))


def _complete(folder: Path) -> bool:
    names = [path.name for path in folder.glob("*.jar")]
    return all(any(_is_jar(name, prefix) for name in names) for prefix in _NEEDED)


def _is_jar(name: str, prefix: str) -> bool:
    return name.removeprefix("io.delta_").startswith(prefix) and name.endswith(f"-{DELTA_VERSION}.jar")


def _resolve() -> list[Path]:
    """Let Spark's own resolver fetch Delta and all it depends on, or take them from its cache (~/.ivy2.5.2)."""
    done = subprocess.run(
        [sys.executable, "-c", _RESOLVE, DELTA_COORDINATES],
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
        told = "\n    ".join(relevant[-8:] or (done.stdout + done.stderr).splitlines()[-8:])
        raise WatershedError(
            f"The Delta jars ({DELTA_COORDINATES}) cannot be resolved:\n    {told}",
            "Spark's resolver needs access to Maven Central (or a mirror of it), or a filled cache in ~/.ivy2.5.2; "
            f"or put the io.delta jars of version {DELTA_VERSION} into {jars_dir()}.",
        )
    return [path for path in found if any(_is_jar(path.name, prefix) for prefix in _NEEDED)]


def _install(jars: list[Path], folder: Path) -> None:
    """Copy the jars into a new folder and move that to its place, so that a half-filled one is never seen."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".jars-") as parent:
            filled = Path(parent) / "jars"
            filled.mkdir()
            for jar in jars:
                shutil.copy2(jar, filled)
            if folder.exists() and not _complete(folder):
                folder.rename(Path(parent) / "old")
            if not folder.exists():
                filled.rename(folder)
    except OSError as error:
        if not _complete(folder):  # else another process was faster
            raise WatershedError(
                f"The Delta jars cannot be written to {folder}: {error.strerror or error}.",
                "Use a virtual environment that you may write to.",
            ) from error
    if not _complete(folder):
        names = ", ".join(jar.name for jar in jars) or "none"
        raise WatershedError(f"The resolver did not give all jars that Delta {DELTA_VERSION} needs; found: {names}.")


def spark_environment() -> dict[str, str]:
    """Return the environment for Spark: this Python and its own Spark, whatever else is installed."""
    import pyspark

    names = {"PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", "SPARK_REMOTE"}
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return kept | {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


def main() -> None:
    """Check Java, resolve the jars, say where they are."""
    try:
        check_java()
        jars = delta_jars()
    except WatershedError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"Delta {DELTA_VERSION}: {len(jars)} jars in {jars_dir()}")


if __name__ == "__main__":
    main()
