"""Access of Spark to a bucket (WATERSHED_STORE): jars, settings, and the log store of Delta tables."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from watershed.server.jars import S3, jars_of
from watershed.store import ENDPOINT

if TYPE_CHECKING:
    from py4j.java_gateway import JVMView

_S3A = "spark.hadoop.fs.s3a"
_LOG_STORE = "watershed.S3LogStore"
_SECRETS = {
    "AWS_ACCESS_KEY_ID": "access.key",
    "AWS_SECRET_ACCESS_KEY": "secret.key",
    "AWS_SESSION_TOKEN": "session.token",
}


def class_path_of(folder: Path) -> list[Path]:
    """Return the class path entries of a Spark that reads a bucket: jars, and the folder of the compiled class."""
    folder.mkdir(parents=True, exist_ok=True)
    return [*jars_of(S3), folder]


def settings() -> dict[str, str]:
    """Return Spark's settings for a bucket, without secrets (see `late_settings`)."""
    endpoint, region = os.environ.get(ENDPOINT), os.environ.get("AWS_REGION")
    return {
        "spark.delta.logStore.s3a.impl": _LOG_STORE,
        # Buffer of uploads; by default a folder in /tmp that belongs to the first user.
        f"{_S3A}.buffer.dir": "${java.io.tmpdir}/s3a",
        # Self-hosted servers have no host names for buckets; S3 itself accepts both forms.
        **({f"{_S3A}.endpoint": endpoint, f"{_S3A}.path.style.access": "true"} if endpoint else {}),
        **({f"{_S3A}.endpoint.region": region} if region else {}),
    }


def late_settings(jvm: JVMView, folder: Path) -> dict[str, str]:
    """Compile the log store for tables in a bucket, and return the settings that Spark gets once its JVM runs.

    Earlier settings are visible on the command line of the JVM, so secrets are passed now. The class is compiled with
    Janino, which Spark contains for its plans, so a Java without a compiler is sufficient.

    Args:
        jvm: A running JVM without a Spark session.
        folder: The class path folder for that class; executors get a jar of it.
    """
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(Path(__file__).with_name("S3LogStore.java").read_text(encoding="utf-8"))
    jar = folder / "log-store.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for name, code in compiler.getBytecodes().items():
            archive.writestr(name.replace(".", "/") + ".class", bytes(code))
        archive.extractall(folder)
    keys = {name: os.environ[variable] for variable, name in _SECRETS.items() if os.environ.get(variable)}
    return {"spark.jars": str(jar)} | {f"{_S3A}.{name}": value for name, value in keys.items()}
