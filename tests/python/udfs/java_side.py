"""The functions in Java, called without Spark: a JVM with Spark's jars, some seconds for all tests of a process."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from watershed_udfs import java_functions, registry
from watershed_udfs.errors import PayloadError

METHODS = {udf.name: udf.function for udf in registry.UDFS if isinstance(udf.function, registry.JavaMethod)}
JARS = Path(pyspark.__file__).with_name("jars")

Value = bytes | str | None | Sequence[Any]


@functools.cache
def jvm() -> Any:  # noqa: ANN401 - a view of py4j
    """Start the JVM, with the functions compiled as for a server."""
    folder = Path(tempfile.mkdtemp(prefix="watershed-java-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    port, token = launch_gateway(classpath=f"{JARS}/*:{folder}", die_on_exit=True, enable_auth=True)
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True))
    java_functions.install(gateway.jvm, folder)
    for name, code in java_functions.compile_sources(gateway.jvm, [Path(__file__).with_name("Called.java")]).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(code)
    return gateway.jvm


def call(name: str, *arguments: Value) -> Any:  # noqa: ANN401 - whatever the function returns
    """Call a function by its name in SQL; texts are given as str or bytes, a binary as bytearray."""
    return call_all(name, [arguments])[0]


def call_all(name: str, calls: Sequence[Sequence[Value]]) -> list[Any]:
    """Call a function n times: a call from Python to the JVM takes longer than the function."""
    method = METHODS[name]
    called = [one for one in calls if not (method.is_null_for_null and None in one)]
    written = [b"%d:" % len(called)]
    for arguments in called:
        written.append(b"%d:" % len(arguments))
        written += map(_written, arguments)
    results = iter(_read(bytes(jvm().watershed.tests.Called.call(method.name, b"".join(written))), 0)[0])
    return [None if method.is_null_for_null and None in one else next(results) for one in calls]


def open_json(value: bytes | None, members: str) -> list[str | None]:
    """Call `open_json`; raise its error as the reference does."""
    texts, code, detail = call("open_json", None if value is None else bytearray(value), members)
    if code is not None:
        raise PayloadError(code, detail)
    found: list[str | None] = texts
    return found


def _written(value: Value) -> bytes:
    if value is None:
        return b"N"
    if isinstance(value, (str, bytes, bytearray)):
        content = value.encode() if isinstance(value, str) else bytes(value)
        return b"%c%d:%b" % (b"B" if isinstance(value, bytearray) else b"T", len(content), content)
    return b"A%d:" % len(value) + b"".join(map(_written, value))


def _read(data: bytes, at: int) -> tuple[Any, int]:
    if data[at : at + 1] == b"N":
        return None, at + 1
    end = data.index(b":", at)
    number = int(data[at + 1 : end])
    if data[at : at + 1] == b"T":
        return data[end + 1 : end + 1 + number].decode(), end + 1 + number
    items, at = [], end + 1
    for _ in range(number):
        item, at = _read(data, at)
        items.append(item)
    return items, at
