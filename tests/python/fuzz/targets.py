"""What is attacked: each target makes a case out of random numbers, and checks a case that may come from a file."""

# ruff: noqa: ANN401, PT017
from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import fastavro
import msgspec
import pyarrow as pa
from reference.ddl_meta import read_ddl_text
from reference.strict_json import MAX_DEPTH, read_json
from watershed_udfs.arrow_databus import read_databus_column
from watershed_udfs.databus.avro_values import read_avro
from watershed_udfs.databus.stream import read_databus
from watershed_udfs.errors import PayloadError

from fuzz.independent_json import Number, Reader, RefusedError

UDF_TESTS = Path(__file__).parents[1] / "udfs"
sys.path.insert(0, str(UDF_TESTS))

Case = dict[str, Any]


class Target(NamedTuple):
    """A reader under attack."""

    make: Callable[[Random], Case]
    check: Callable[[Case], None]


# ---------- damage

PIECES = [b",", b":", b"{", b"}", b"[", b"]", b'"', b"\\", b"'", b"-", b"+", b".", b"0", b"e", b"/", b" ", b"\x00"]
PIECES += [b"\x1f", b"\x7f", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc2\xa0", b"\xf4\x90\x80\x80"]
PIECES += [b"\\ud83d", b"\\ude00", b"\\u0000", b"\\x", b"NaN", b"Infinity", b"null", b"//", b"9" * 4301, b"[" * 501]


def damaged(random: Random, data: bytes) -> bytes:
    """Cut out, put in, double and flip, up to three times."""
    for _ in range(random.randint(1, 3)):
        start = random.randint(0, len(data))
        end = min(len(data), start + random.choice([0, 1, 1, 4, 20]))
        middle = random.choice(
            [b"", random.choice(PIECES), random.randbytes(random.randint(1, 4)), data[start:end] * 2]
        )
        data = data[:start] + middle + data[end:]
    return data


def flipped(random: Random, data: bytes) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]


# ---------- JSON

NUMBERS = ["0", "-0", "-0.0", "1", "1.50", "1e5", "1E-400", "1E400", "9007199254740993", "9" * 40, "9" * 4301, "0.10"]
TEXTS = ["", "a", "é", "\U0001f600", "\uffff", "\x00\x1f\x7f", '"\\/', "\u2028", "b" * 40]


def json_text(random: Random, depth: int = 0) -> str:
    kind = random.choice("nnwsss" if depth > 4 else "nwssooaa")
    space = random.choice(["", "", "", " ", "\n\t", "\r"])
    if kind == "n":
        return random.choice([*NUMBERS, str(random.randint(-(10**20), 10**20)), repr(random.uniform(-1e9, 1e9))])
    if kind == "w":
        return random.choice(["null", "true", "false"])
    if kind == "s":
        return json.dumps(random.choice(TEXTS), ensure_ascii=random.random() < 0.5)
    many = [json_text(random, depth + 1) for _ in range(random.randint(0, 4))]
    if kind == "a":
        return "[" + f"{space},{space}".join(many) + space + "]"
    names = [
        json.dumps(random.choice([*TEXTS, str(random.random())]), ensure_ascii=random.random() < 0.5) for _ in many
    ]
    return "{" + ",".join(f"{space}{name}{space}:{one}" for name, one in zip(names, many, strict=True)) + space + "}"


def make_json(random: Random) -> Case:
    text = json_text(random).encode()
    return {"hex": (damaged(random, text) if random.random() < 0.7 else text).hex()}


def plain(value: Any) -> Any:
    """Return the value with numbers as their literals."""
    if type(value) is dict:
        return {name: plain(one) for name, one in value.items()}
    if type(value) is list:
        return [plain(one) for one in value]
    if type(value) is int:
        return Number(value)
    return value if value is None or type(value) in (str, bool) else Number(bytes(value).decode())


def check_json(case: Case) -> None:
    text = bytes.fromhex(case["hex"])
    stripped = text.strip(b" \t\n\r")
    try:
        expected = independent(stripped)
    except RefusedError as refused:
        try:
            read_json(stripped)
        except PayloadError:
            return
        raise AssertionError(f"taken, though: {refused}") from None
    found = plain(read_json(stripped))
    assert with_zeros(expected) == found
    assert types_of(expected) == types_of(found)


def independent(text: bytes) -> Any:
    """Read with more stack than usual: the other reader takes two calls of its own for each level."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 10 * MAX_DEPTH)
    try:
        return Reader(text, MAX_DEPTH).read()
    finally:
        sys.setrecursionlimit(limit)


def with_zeros(value: Any) -> Any:
    """Only -0 is read as 0."""
    if type(value) is dict:
        return {name: with_zeros(one) for name, one in value.items()}
    if type(value) is list:
        return [with_zeros(one) for one in value]
    return Number("0") if type(value) is Number and value == "-0" else value


def types_of(value: Any) -> Any:
    if type(value) is dict:
        return {name: types_of(one) for name, one in value.items()}
    return [types_of(one) for one in value] if type(value) is list else type(value).__name__


# ---------- Databus


def make_streams(random: Random) -> Case:
    from databus_events import write_v1, write_v2
    from watershed_udfs.databus.event import Event, base64_key, text_key

    written, expected = [], []
    for _ in range(random.choice([1, 1, 2, 5])):
        version, order = random.choice([0, 2]), random.choice(["big", "little"])
        keys: list[int | bytes] = [random.randint(-(2**63), 2**63 - 1), random.randbytes(random.randint(0, 9)), b"a\tb"]
        key = random.choice(keys)
        key_type = "bytes" if version == 0 else random.choice(["string", "schema"])
        message_key = f'{{"key":{key}}}' if isinstance(key, int) else ""
        if isinstance(key, bytes):
            message_key = base64_key(key) if key_type == "schema" else text_key(key)
        value = random.randbytes(random.choice([0, 3, 300])) if version == 0 or random.random() < 0.8 else None
        schema_id = random.choice([None, random.randbytes(16).hex()])
        partition = random.randint(-(2**15), 2**15 - 1)
        event = Event(
            event_index=0,
            version=version,
            byte_order=order,  # type: ignore[arg-type]
            opcode=random.choice(["UPSERT", "DELETE", None]),  # type: ignore[arg-type]
            key_type="long" if isinstance(key, int) else key_type,  # type: ignore[arg-type]
            message_key=message_key,
            sequence=random.randint(-(2**63), 2**63 - 1),
            physical_partition=partition,
            logical_partition=partition,
            timestamp_nanos=random.randint(-(2**63), 2**63 - 1),
            source_id=random.randint(-(2**15), 2**15 - 1),
            schema_id=None if value is None else schema_id,
            schema_version=None if version == 0 or value is None else random.randint(0, 8191),
            value=value,
            is_replicated=random.random() < 0.5,
            is_traced=random.random() < 0.5,
        )
        written.append(write_v1(event, key) if version == 0 else write_v2(event, key))
        expected.append([event.message_key, event.sequence, event.opcode, (value or b"").hex(), event.schema_id])
    return {"hex": b"".join(written).hex(), "expected": expected}


def check_streams(case: Case) -> None:
    """What was written is read; Base64 of it reads the same; the decoder of columns and that of events agree."""
    data = bytes.fromhex(case["hex"])
    events = read_databus(data)
    if "expected" in case:
        found = [[one.message_key, one.sequence, one.opcode, (one.value or b"").hex(), one.schema_id] for one in events]
        assert found == case["expected"]
    if data and data[0] in (0, 2):
        assert read_databus(base64.encodebytes(data)) == events
        ends = [(one.byte_offset, one.byte_offset + one.byte_length) for one in events]
        assert [start for start, _ in ends] == [0, *(end for _, end in ends[:-1])]
        assert ends[-1][1] == len(data)
    columns = read_databus_column(pa.array([data] * 40, pa.binary())).to_pylist()
    assert columns == [[one._asdict() for one in events]] * 40


def make_flips(random: Random) -> Case:
    data = bytes.fromhex(make_streams(random)["hex"])
    return {"hex": flipped(random, data).hex(), "whole": data.hex()}


V2_MAGIC = range(1, 5)


def check_flips(case: Case) -> None:
    """No flipped bit goes unseen, but those of the magic number of version 2, which nothing covers."""
    data, whole = bytes.fromhex(case["hex"]), bytes.fromhex(case["whole"])
    check_streams({"hex": case["hex"]})
    place = next(index for index, (one, other) in enumerate(zip(data, whole, strict=True)) if one != other)
    hit = next(one for one in read_databus(whole) if one.byte_offset <= place < one.byte_offset + one.byte_length)
    events = read_databus(data)
    if hit.version == 2 and place - hit.byte_offset in V2_MAGIC:
        assert [one._replace(byte_order=None) for one in events] == [
            one._replace(byte_order=None) for one in read_databus(whole)
        ]
    else:
        assert events[-1].error_code is not None


# ---------- ddlMeta

SAMPLES = Path(__file__).parents[3] / "samples" / "messages" / "datahub_blob"


def ddl_metas() -> list[str]:
    found = []
    for line in (SAMPLES / "schema_change.jsonl").read_text().splitlines():
        ddl = json.loads(json.loads(line)["value"])["payload"]["ddl"]
        found += [ddl["ddlMeta"]] if ddl and ddl.get("ddlMeta") else []
    return found


def make_ddl_meta(random: Random) -> Case:
    stream = base64.b64decode(random.choice(ddl_metas()) + "==", validate=False)
    kind = random.randrange(3)
    data = base64.b64encode(flipped(random, stream) if kind else damaged(random, stream))
    return {"hex": (damaged(random, data) if kind == 2 else data).hex()}


def check_ddl_meta(case: Case) -> None:
    """A text or a reason, never another exception; the text is one that UTF-8 can write."""
    try:
        text = read_ddl_text(bytes.fromhex(case["hex"]))
    except PayloadError as error:
        assert error.code == "ddl_meta_unreadable"
        return
    text.encode()


# ---------- Avro

PRIMITIVES: dict[str, Callable[[Random], Any]] = {
    "null": lambda random: None,
    "boolean": lambda random: random.random() < 0.5,
    "int": lambda random: random.choice([0, -1, 2**31 - 1, -(2**31), random.randint(-1000, 1000)]),
    "long": lambda random: random.choice([0, 2**63 - 1, -(2**63), random.randint(-(2**60), 2**60)]),
    "double": lambda random: random.choice([0.0, 0.1, -1e300, 5e-324, random.uniform(-1e6, 1e6)]),
    "string": lambda random: random.choice(TEXTS),
}


def avro_pair(random: Random, names: list[str], depth: int = 0) -> tuple[Any, Any]:
    """Return a type, and a value of it in JSON."""
    kind = random.choice([*PRIMITIVES, "array", "map", "union", "record", "enum"] if depth < 3 else list(PRIMITIVES))
    if kind in PRIMITIVES:
        return kind, PRIMITIVES[kind](random)
    name = f"N{len(names)}"
    if kind == "enum":
        names.append(name)
        return {"type": "enum", "name": name, "symbols": ["A", "B"]}, random.choice("AB")
    if kind == "record":
        names.append(name)
        fields = [(f"f{index}", *avro_pair(random, names, depth + 1)) for index in range(random.randint(0, 3))]
        schema = [{"name": field, "type": one} for field, one, _ in fields]
        return {"type": "record", "name": name, "fields": schema}, {field: value for field, _, value in fields}
    inner, value = avro_pair(random, names, depth + 1)
    if kind == "array":
        return {"type": "array", "items": inner}, [value] * random.randint(0, 3)
    if kind == "map":
        return {"type": "map", "values": inner}, dict.fromkeys(random.sample(TEXTS, random.randint(0, 3)), value)
    if isinstance(inner, list) or inner == "null":
        return inner, value
    return (["null", inner], value) if random.random() < 0.5 else ([inner, "null"], None)


def make_avro(random: Random) -> Case:
    names: list[str] = []
    fields = [(f"f{index}", *avro_pair(random, names)) for index in range(random.randint(1, 5))]
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": name, "type": one} for name, one, _ in fields],
    }
    record = {name: value for name, _, value in fields}
    written = io.BytesIO()
    fastavro.schemaless_writer(written, fastavro.parse_schema(schema), record)
    data = written.getvalue()
    case: Case = {"schema": json.dumps(schema), "hex": data.hex(), "expected": record}
    if random.random() < 0.6:
        harmed = flipped(random, data) if data and random.random() < 0.5 else damaged(random, data)
        case = {"schema": json.dumps(schema), "hex": harmed.hex()}
    return case


def check_avro(case: Case) -> None:
    """Values written by fastavro are read; damaged ones give canonical JSON or a reason, never another exception."""
    data = bytes.fromhex(case["hex"])
    try:
        text = read_avro(data, case["schema"])
    except PayloadError as error:
        assert error.code == "avro_unreadable"
        assert "expected" not in case
        return
    if text is None:
        assert not data
        return
    found = json.loads(text)
    assert msgspec.json.encode(msgspec.json.decode(text), order="sorted") is not None
    if "expected" in case:
        assert found == case["expected"]


def make_java_call(random: Random) -> Case:
    from fuzz.java_calls import make_call

    return make_call(random)


def check_java_call(case: Case) -> None:
    from fuzz.java_calls import check_call

    check_call(case)


TARGETS = {
    "java": Target(make_java_call, check_java_call),
    "json": Target(make_json, check_json),
    "streams": Target(make_streams, check_streams),
    "flips": Target(make_flips, check_flips),
    "ddl_meta": Target(make_ddl_meta, check_ddl_meta),
    "avro": Target(make_avro, check_avro),
}
