"""The functions in Java: Janino, the compiler of Spark's own plans, compiles them when a server starts (ADR 0003)."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).with_name("java")
PACKAGE = "watershed.json"


def install(jvm: Any, folder: Path) -> Path:  # noqa: ANN401 - a view of py4j
    """Compile the functions into a folder on the class path of a JVM.

    Args:
        jvm: The view of a JVM that runs with Spark's jars.
        folder: Where classes are looked for, also by that JVM.

    Returns:
        A jar of the classes in the same folder, for executors on other machines.
    """
    classes = compile_sources(jvm, sorted(SOURCES.glob("*.java")))
    folder.mkdir(parents=True, exist_ok=True)
    jar = folder / "watershed-json.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for name, code in classes.items():
            archive.writestr(name, code)
        archive.extractall(folder)
    return jar


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
