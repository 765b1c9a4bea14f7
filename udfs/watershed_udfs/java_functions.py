"""The functions in Java: Janino, the compiler of Spark's own plans, compiles them, so no JDK is needed (ADR 0003)."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyspark

SOURCES = sorted(Path(__file__).with_name("java").glob("*.java"))
PACKAGE = "watershed.json"
COMPILED = Path(sys.prefix) / "share" / "watershed" / "java"
"""Where compiled classes are kept: to compile them takes seconds of a young JVM, at each start of a server."""


def install(jvm: Any, folder: Path, kept: Path = COMPILED) -> Path:  # noqa: ANN401 - a view of py4j
    """Write the classes of the functions into a folder on the class path of a JVM.

    Args:
        jvm: The view of a JVM that runs with Spark's jars.
        folder: Where classes are looked for by that JVM.
        kept: The folder of jars, one for each version of the sources and of Spark; the first server compiles it.

    Returns:
        The jar of the same classes, for executors on other machines.
    """
    digest = hashlib.sha256(pyspark.__version__.encode())
    for source in SOURCES:
        digest.update(source.read_bytes())
    jar = kept / f"{digest.hexdigest()}.jar"
    if not jar.exists():
        _write_jar(jar, compile_sources(jvm, SOURCES))
    with zipfile.ZipFile(jar) as archive:
        archive.extractall(folder)
    return jar


def _write_jar(jar: Path, classes: dict[str, bytes]) -> None:
    """Write a jar under another name first: another server may read it at any time."""
    jar.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=jar.parent) as scratch:
        written = Path(scratch) / jar.name
        with zipfile.ZipFile(written, "w") as archive:
            for name, code in classes.items():
                archive.writestr(name, code)
        written.replace(jar)


def compile_sources(jvm: Any, sources: Sequence[Path]) -> dict[str, bytes]:  # noqa: ANN401 - a view of py4j
    """Compile files of Java together; return the content of each class file by its path."""
    janino, compiling = jvm.org.codehaus.janino, jvm.org.codehaus.commons.compiler.util.resource
    compiler, classes = janino.Compiler(), jvm.java.util.HashMap()
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    compiler.setIClassLoader(janino.ClassLoaderIClassLoader(loader))
    compiler.setClassFileCreator(compiling.MapResourceCreator(classes))
    resource = jvm.java.lang.Class.forName("org.codehaus.commons.compiler.util.resource.Resource")
    files = jvm.java.lang.reflect.Array.newInstance(resource, len(sources))
    for place, source in enumerate(sources):
        files[place] = compiling.StringResource(source.name, source.read_text(encoding="utf-8"))
    compiler.compile(files)
    return {name: bytes(classes[name]) for name in classes}
