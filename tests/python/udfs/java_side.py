"""The functions in Java, called without Spark: a JVM with Spark's jars, some seconds for all tests of a process."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from reference import ddl_statement, functions, json_message, row_key, strict_json
from reference.ddl_statement import Ddl, Name, Rename
from reference.member_spec import read_spec
from watershed_udfs import images, java_functions, json_columns, registry
from watershed_udfs.errors import PayloadError

METHODS = {udf.name: udf.function for udf in registry.UDFS if isinstance(udf.function, registry.JavaMethod)}
REFERENCES: dict[str, Callable[..., Any]] = {
    "pick_key": row_key.pick_key,
    "read_columns": json_columns.read_columns,
    "overlay_images": images.overlay_images,
    "drop_columns": functions.drop_columns,
    "null_columns": functions.null_columns,
    "missing_columns": functions.missing_columns,
    "list_items": functions.list_items,
    "list_texts": functions.list_texts,
    "text_map": functions.text_map,
    "millis_timestamp": functions.millis_timestamp,
    "read_ddl": lambda text, *names: ddl_statement.read_ddl(text, Name(*names)),
}
JARS = Path(pyspark.__file__).with_name("jars")

Value = bytes | str | None | Sequence[Any]


@functools.cache
def jvm() -> Any:  # noqa: ANN401 - a view of py4j
    """Start the JVM that all tests of a process share."""
    return start()


def start(*options: str) -> Any:  # noqa: ANN401 - a view of py4j
    """Start a JVM, with the functions compiled as for a server; it ends with this process."""
    folder = Path(tempfile.mkdtemp(prefix="watershed-java-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    port, token = launch_gateway(
        classpath=f"{JARS}/*:{folder}", javaopts=[*options, "-XX:+UseSerialGC"], die_on_exit=True, enable_auth=True
    )
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
    """Open a message by the reference and in Java, which must agree in every detail; give texts or raise the error."""
    found: list[Any] = [None, None, None]
    failure = None
    try:
        found[0] = json_message.open_json(value, read_spec(members))
    except PayloadError as error:
        found, failure = [None, error.code, error.detail], error
    assert call("open_json", None if value is None else bytearray(value), members) == found
    if failure is not None:
        raise failure
    texts: list[str | None] = found[0]
    return texts


def agreed(name: str) -> Callable[..., Any]:
    """Give a function that calls a reference and the function in Java, and asserts that they agree."""
    reference = REFERENCES[name]

    def call_both(*arguments: Value) -> Any:  # noqa: ANN401 - whatever the function returns
        expected, found = reference(*arguments), call(name, *arguments)
        assert is_same(name, arguments, expected, found)
        return expected

    return call_both


def is_same(name: str, arguments: Sequence[Value], expected: object, found: Any) -> bool:  # noqa: ANN401
    """Whether a function in Java gave what its reference gave.

    Of text that is no JSON the reference reads some: it looks at no byte of a value that it hands on. Java reads none.
    """
    if name == "millis_timestamp" and found is not None:
        found = int(found)
    if name in ("read_columns", "text_map") and found is not None:
        found = dict(zip(*found, strict=True))
    if name == "read_ddl" and found is not None:
        kind, is_understood, emptied, renamed, changes_partitions = found
        renames = [Rename(Name(*old), Name(*new)) for old, new in renamed]
        found = Ddl(
            kind, is_understood == "true", [Name(*one) for one in emptied], renames, changes_partitions == "true"
        )
    return bool(found == expected) or (found is None and name != "open_json" and any(map(_is_refused, arguments)))


def _is_refused(argument: Value) -> bool:
    if isinstance(argument, list):
        return any(map(_is_refused, argument))
    try:
        strict_json.read_json(argument.encode() if isinstance(argument, str) else argument or b"0")
    except PayloadError as error:
        return error.code != "duplicate_member"
    return False


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
