"""The statement inside a `ddlMeta`, from streams written here."""

import base64
import random
import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.ddl_meta import ROOT_CLASS, read_ddl_text
from watershed_udfs.errors import PayloadError

Fields = list[tuple[str, str]]


def java_text(text: str) -> bytes:
    """Write modified UTF-8: NUL as C0 80, characters beyond the first plane as two surrogates."""
    units = text.encode("utf-16-be", "surrogatepass")
    characters = "".join(map(chr, struct.unpack(f">{len(units) // 2}H", units)))
    return characters.encode("utf-8", "surrogatepass").replace(b"\x00", b"\xc0\x80")


def short(text: str) -> bytes:
    return struct.pack(">H", len(java_text(text))) + java_text(text)


def string(text: str, is_long: bool = False) -> bytes:
    if is_long:
        return b"\x7c" + struct.pack(">Q", len(java_text(text))) + java_text(text)
    return b"\x74" + short(text)


def class_description(name: str, fields: Fields, flags: int = 2, annotation: bytes = b"") -> bytes:
    written = b"".join(
        kind.encode() + short(field) + (string("Ljava/lang/String;") if kind in "L[" else b"") for kind, field in fields
    )
    return (
        b"\x72"
        + short(name)
        + bytes(8)
        + bytes([flags])
        + struct.pack(">H", len(fields))
        + written
        + annotation
        + b"\x78"
    )


def encoded(*parts: bytes) -> str:
    return base64.b64encode(b"\xac\xed\x00\x05" + b"".join(parts)).decode()


PLAIN_FIELDS: Fields = [("L", "ddlText"), ("L", "statement")]
PLAIN_CLASS = class_description(ROOT_CLASS, PLAIN_FIELDS)


def ddl_meta(statement: bytes, rest: bytes = b"\x70") -> str:
    return encoded(b"\x73", PLAIN_CLASS, b"\x70", statement, rest)


SAMPLE = ddl_meta(string("alter table orders add column note text"), b"\x73" + bytes(200))


@pytest.mark.parametrize("statement", ["", "truncate table orders", "a\x00b", "é\u20ac", "\U0001f600 x", "x" * 60000])
@pytest.mark.parametrize("is_long", [False, True])
def test_read_ddl_text_reads_the_statement(statement: str, is_long: bool) -> None:
    assert read_ddl_text(ddl_meta(string(statement, is_long))) == statement


def test_read_ddl_text_reads_a_long_statement() -> None:
    statement = "x" * 1_000_000
    assert read_ddl_text(ddl_meta(string(statement, is_long=True)).encode()) == statement


def test_read_ddl_text_skips_other_fields_and_superclasses() -> None:
    fields = [("L", "comment"), ("I", "version"), ("L", "ddlText"), ("J", "time"), ("[", "items")]
    parent = class_description("java.Base", [("Z", "flag"), ("L", "name"), ("L", "ddlText")])
    child = class_description(ROOT_CLASS, fields, flags=3, annotation=b"\x77\x02ab")
    values = b"\x01" + string("parent") + b"\x70" + bytes(12) + b"\x71" + bytes(4) + string("drop table t")
    assert read_ddl_text(encoded(b"\x73", child, parent, b"\x70", values)) == "drop table t"


def test_read_ddl_text_reads_the_prefix_of_damaged_base64() -> None:
    statement = "alter table orders add column note text"
    lines = "\n".join(SAMPLE[start : start + 76] for start in range(0, len(SAMPLE), 76))
    for text in (lines, SAMPLE[:-3], SAMPLE[:-1], SAMPLE[:240] + "?" + SAMPLE[244:], SAMPLE + "==", SAMPLE.rstrip("=")):
        assert read_ddl_text(text) == statement


@pytest.mark.parametrize(
    "text",
    [
        "",
        "é",
        "====",
        "rO0A",
        base64.b64encode(b"\xac\xed\x00\x04s").decode(),
        encoded(b"\x74", short("alter table t")),
        encoded(b"\x73", class_description("java.util.Date", PLAIN_FIELDS), b"\x70", string("x")),
        encoded(b"\x73", class_description(ROOT_CLASS, [("I", "version")]), b"\x70", bytes(4)),
        encoded(b"\x73", class_description(ROOT_CLASS, [("Q", "ddlText")]), b"\x70", string("x")),
        encoded(b"\x73", class_description(ROOT_CLASS, PLAIN_FIELDS, flags=12), b"\x70", string("x")),
        encoded(b"\x73", class_description(ROOT_CLASS, PLAIN_FIELDS, annotation=b"\x73"), b"\x70", string("x")),
        encoded(b"\x73", class_description(ROOT_CLASS, [("L", "a"), ("L", "ddlText")]), b"\x70\x73", string("x")),
        encoded(b"\x73", PLAIN_CLASS * 30, b"\x70", string("x")),
        encoded(b"\x73\x71", bytes(4)),
        ddl_meta(b"\x70"),
        ddl_meta(b"\x71\x00\x7e\x00\x00"),
        ddl_meta(b"\x74\xff\xffabc"),
        ddl_meta(b"\x7c" + b"\xff" * 8 + b"abc"),
        ddl_meta(b"\x74\x00\x04\xf0\x9f\x98\x80"),
        ddl_meta(b"\x74\x00\x03\xed\xa0\xbd"),
        ddl_meta(b"\x74\x00\x01\xc3"),
    ],
)
def test_read_ddl_text_refuses(text: str) -> None:
    with pytest.raises(PayloadError) as caught:
        read_ddl_text(text)
    assert caught.value.code == "ddl_meta_unreadable"


def read_or_refuse(text: str | bytes) -> str | None:
    try:
        return read_ddl_text(text)
    except PayloadError:
        return None


def test_read_ddl_text_survives_every_truncation_and_byte_flip() -> None:
    data = base64.b64decode(SAMPLE)
    flips = random.Random(7)
    started = time.perf_counter()
    for end in range(len(data)):
        assert read_or_refuse(base64.b64encode(data[:end])) in (None, "alter table orders add column note text")
        assert read_or_refuse(SAMPLE[:end]) in (None, "alter table orders add column note text")
    for _ in range(5000):
        damaged = bytearray(data)
        for _ in range(flips.randint(1, 4)):
            damaged[flips.randrange(len(data))] = flips.randrange(256)
        read_or_refuse(base64.b64encode(damaged))
    assert time.perf_counter() - started < 30


@settings(max_examples=300)
@given(
    st.one_of(
        st.text(max_size=40), st.binary(max_size=60), st.binary(max_size=60).map(lambda rest: encoded(b"\x73", rest))
    )
)
def test_read_ddl_text_is_total(text: str | bytes) -> None:
    read_or_refuse(text)
