"""What a file holds: cut in the wrong way, compressed, or one JSON array."""

from __future__ import annotations

import base64
import contextlib
import gzip
import io
import json
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from landed import ONE, land, messages

from watershed.home import Home
from watershed.landing.json_array import ArrayError, cut_array
from watershed.landing.messages import InputFile, Mode, scan_file

ROWS = [{"id": 1, "note": '[{"a"},\n'}, {"id": 2.50, "tags": ["x", {"y": []}]}, {"id": 12345678901234567890}]
ARRAY_OF_LINES = '[\n{"id":1},\n{"id":2}\n]\n'
CSV = "id,title,state\n1,first,open\n2,second,closed\n"


def zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data, asbytes=True))


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert land(*arguments) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("mode", "content", "found", "way_out"),
    [
        ("lines", CSV, "has no message in its first 3 lines", "Text such as CSV is not a message"),
        ("lines", "id;title\n", "has no message in its first line", "the format datahub_blob (docs/formats/"),
        ("lines", "one\ttwo three,\n", "has no message in its first line", "Text such as CSV"),
        ("lines", "not json\n", "has no message in its first line", "Text such as CSV"),
        ("lines", "\ufeff[1]\n", "is one JSON array", "--as array"),
        ("lines", ARRAY_OF_LINES, "is one JSON array", "land it with --as array"),
        ("lines", json.dumps(ROWS), "is one JSON array", "land it with --as array"),
        ("lines", json.dumps(ROWS, indent=2), "is one JSON array", "land it with --as array"),
        ("bytes", ARRAY_OF_LINES, "is one JSON array", "land it with --as array"),
        ("lines", '[{"id":1}]\n[{"id":2}]\n', "has a JSON array in its first line", "jq -c '.[]'"),
        ("lines", json.dumps(ROWS[1], indent=1), "is JSON over several lines", "land it with --as bytes"),
        ("lines", json.dumps({"a": ROWS}, indent=1) * 2, "is JSON over several lines", "jq -c ."),
        ("lines", '{\n"a": {"b": 1}}\n{"c":1}', "is JSON over several lines", "jq -c ."),
        ("lines", json.dumps(ROWS[0]) .encode("utf-16"), "is UTF-16 text", "iconv -f UTF-16 -t UTF-8"),
        ("bytes", json.dumps(ROWS[0]).encode("utf-16"), "is UTF-16 text", "iconv -f UTF-16 -t UTF-8"),
        ("lines", '{"a":1}\n{"b":1}\n'.encode("utf-16-le"), "is UTF-16LE text", "iconv -f UTF-16LE"),
        ("lines", '{"a":1}\n{"b":1}\n'.encode("utf-16-be"), "is UTF-16BE text", "iconv -f UTF-16BE"),
        ("array", '{"id":1}', "element 0, byte 0: expected [", "land it with --as lines"),
        ("array", CSV, "element 0, byte 0: expected [", "land it with --as lines"),
        ("array", "", "it is empty", ""),
        ("array", '[1, "a", [{}]]', "none of the 3 elements is a JSON object", "--force"),
    ],
)  # fmt: skip
def test_a_wrong_cut_is_refused_with_the_way_out_and_lands_when_forced(
    project: Path,
    home: Home,
    capsys: pytest.CaptureFixture[str],
    mode: str,
    content: str | bytes,
    found: str,
    way_out: str,
) -> None:
    file = project / "export.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    error = refusal(capsys, "--source", "shop", "--as", mode, "export.json")
    assert error.startswith("watershed land: export.json")
    assert found in error
    assert way_out in error
    assert "Nothing of this call has landed." in error
    assert not home.messages.exists()
    if "--force" in error:
        assert land("--source", "shop", "--as", mode, "--force", "export.json") == 0
        assert messages(home)


@pytest.mark.parametrize(
    ("mode", "format_name", "content"),
    [
        ("lines", "shop", b'{"id": 1\n{"id": 2}\n'),  # one broken message among good ones
        ("lines", "shop", b'{"id":\n{"id": 2}\n{"id": 3}\n'),
        ("lines", "shop", b'{"a": [\n{"id": 2}\n'),
        ("lines", "shop", b"id,title\n\n" + b'{"id": 2}\n'),
        ("lines", "shop", b"[1]\n" + b'{"id": 2}\n'),
        ("lines", "shop", b"\n \n"),
        ("lines", "shop", b'{"id": NaN}\n{"id": "\xff"}\n'),
        ("lines", "shop", base64.b64encode(b'{"id": 1}') + b"\n"),
        ("lines", "shop", base64.b64encode(b'{"id": 1}')[:-3] + b"\n"),
        ("lines", "shop", b'{"id": "' + b"x" * 300_000 + b'"}\n'),
        ("lines", "shop", base64.b64encode(b'{"id": "' + b"x" * 300_000 + b'"}') + b"\n"),
        ("lines", "bus", bytes(range(256)) + b"\nid,title\n"),
        ("lines", "bus", b"[\n]\n"),
        ("bytes", "bus", b"\x00a\x00b"),
        ("bytes", "bus", CSV.encode()),
        ("bytes", "shop", json.dumps(ROWS[0], indent=2).encode()),
        ("bytes", "shop", b""),
    ],
)
def test_possible_messages_land(project: Path, home: Home, mode: str, format_name: str, content: bytes) -> None:
    with (project / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("bus,databus_binary,\n")
    (project / "export").write_bytes(content)
    assert land("--source", format_name, "--as", mode, "export") == 0
    assert b"\n".join(row["value"] for row in messages(home)) == content.removesuffix(b"\n" if mode == "lines" else b"")


def test_elements_of_an_array_land_byte_for_byte(project: Path, home: Home) -> None:
    elements = ['{"id" : 1.0, "n":1e5}', '{"a":"\\u0041]},{","b":[[{}],"\\\\"]}', '{\n  "c": 12345678901234567890\n}']
    (project / "a.json").write_text("\ufeff \n[ " + " ,\n\t".join(elements) + "\n]\n", encoding="utf-8")
    assert land("--source", "bank", "--as", "array", "a.json") == 0
    rows = messages(home)
    assert [row["value"].decode() for row in rows] == elements
    assert [(row["topic"], row["partition"], row["offset"]) for row in rows] == [
        ("bank", 0, 0),
        ("bank", 0, 1),
        ("bank", 0, 2),
    ]
    (project / "b.json").write_text("[]")
    assert land("--source", "bank", "--as", "array", "b.json") == 0
    assert len(messages(home)) == 3


def read_of(content: bytes, most: int) -> Callable[[int], bytes]:
    stream = io.BytesIO(content)
    return lambda size: stream.read(min(size, most))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('ab"\\[]{}, \n\u00e9')),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.sampled_from('a"\\]},'), max_size=3), inner),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=5), st.integers(1, 9), st.sampled_from([None, 1]), st.booleans())
@example([{"a": "\\"}], 1, None, True)
def test_any_array_is_cut_into_its_elements(
    values: list[object], piece: int, indent: int | None, is_ascii: bool
) -> None:
    texts = [json.dumps(value, indent=indent, ensure_ascii=is_ascii) for value in values]
    content = f" [{' , '.join(texts)}\n] ".encode()
    assert list(cut_array(read_of(content, piece), 1 << 20)) == [text.encode() for text in texts]


@given(st.lists(JSON, min_size=1, max_size=3), st.data(), st.integers(1, 9))
def test_a_damaged_array_is_refused_or_gives_pieces_of_it(
    values: list[object], data: st.DataObject, piece: int
) -> None:
    content = json.dumps(values).encode()
    place = data.draw(st.integers(0, len(content) - 1))
    damaged = content[:place] + data.draw(st.sampled_from([b"", b"]", b"{", b",", b'"'])) + content[place + 1 :]
    elements: list[bytes] = []
    with contextlib.suppress(ArrayError):
        elements += cut_array(read_of(damaged, piece), 1 << 20)
    assert all(element and element in damaged for element in elements)
    with contextlib.suppress(ValueError):  # an array is split as one anyway
        assert len(json.loads(damaged)) == len(elements)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[{}", "element 0, byte 3: the array has no end"),
        ('[{"a":1}, {"a":"x]', "element 1, byte 18: the array has no end"),
        ("[{},]", "element 1, byte 4: expected a value"),
        ("[,{}]", "element 0, byte 1: expected a value"),
        ("[{} {}]", "element 0, byte 4: expected a comma"),
        ("[{} 1]", "element 0, byte 3: expected a comma"),
        ("[1 {}]", "element 0, byte 3: expected a comma"),
        ("[{]}", "element 0, byte 2: expected }, found ]"),
        ("[{}]\n x", "element 1, byte 6: expected nothing after the array"),
        ("[{}]" + " " * 2_000_000 + "[]", "expected nothing after the array"),
        ("x", "element 0, byte 0: expected [, the start of a JSON array"),
        ("  ", "is not a JSON array: it is empty"),
    ],
)
def test_an_array_that_is_none_states_where(content: str, problem: str) -> None:
    with pytest.raises(ArrayError, match=re.escape(problem)):
        list(cut_array(io.BytesIO(content.encode()).read, 1 << 20))


def test_a_large_array_takes_the_memory_of_an_element(project: Path) -> None:
    element = json.dumps({"id": 1, "note": "x" * 5_000})
    (project / "a.json").write_text("[" + ",".join([element] * 8_000) + "]")
    file = InputFile(project / "a.json", "shop", "datahub_blob", Mode.ARRAY)
    tracemalloc.start()
    assert scan_file(file, lambda _: None).message_count == 8_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16_000_000, "of 40 MB"


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstd)])
def test_compressed_files_land_as_their_content(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str], suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    lines = b"".join(b'{"id":%d}\n' % number for number in range(50_000))
    (project / f"a.jsonl{suffix}").write_bytes(pack(lines[:300_000]) + pack(lines[300_000:]))  # two of them in one file
    (project / "a.jsonl").write_bytes(lines)
    assert land("--source", "bank", "--as", "lines", f"a.jsonl{suffix}", "a.jsonl") == 0
    assert f"Skipped a.jsonl: the same bytes as a.jsonl{suffix}." in capsys.readouterr().out
    rows = messages(home)
    assert b"".join(row["value"] + b"\n" for row in rows) == lines
    assert {(row["topic"], row["partition"], row["file_name"]) for row in rows} == {("bank", 0, f"a.jsonl{suffix}")}
    tree = project / "tree" / "shop"
    tree.mkdir(parents=True)
    (tree / f"e.jsonl{suffix}").write_bytes(pack(ONE.encode()))
    assert land("--tree", "tree") == 0
    assert messages(home)[-1]["topic"] == "orders"
    (project / f"array.json{suffix}").write_bytes(pack(b" [ {}, {} ] "))
    assert "is one JSON array" in refusal(capsys, "--source", "shop", "--as", "lines", f"array.json{suffix}")
    assert land("--source", "shop", "--as", "array", f"array.json{suffix}") == 0
    (project / f"empty.jsonl{suffix}").write_bytes(pack(b""))
    assert land("--source", "shop", f"empty.jsonl{suffix}") == 0


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstd)])
@pytest.mark.parametrize("damage", ["cut", "changed", "other", "trailing"])
def test_a_damaged_archive_keeps_the_whole_call_out(
    project: Path,
    home: Home,
    capsys: pytest.CaptureFixture[str],
    suffix: str,
    pack: Callable[[bytes], bytes],
    damage: str,
) -> None:
    lines = b"".join(b'{"id":%d}\n' % (number * 7919) for number in range(300_000))
    packed = pack(lines)
    middle = len(packed) // 2
    # Of zstd in the header: unlike the command, pyarrow writes no checksum of the content.
    place = middle if suffix == ".gz" else 4
    content = {
        "cut": packed[:middle],
        "changed": packed[:place] + b"\xff" * 4 + packed[place + 4 :],
        "other": lines,
        "trailing": packed + b"more",
    }[damage]
    name = f"a.jsonl{suffix}"
    (project / name).write_bytes(content)
    (project / "good.jsonl").write_text('{"id":1}\n')
    error = refusal(capsys, "--source", "bank", "--as", "lines", "good.jsonl", name)
    assert error.startswith(f"watershed land: {name} is damaged or no {'gzip' if suffix == '.gz' else 'zstd'}: ")
    assert " of the file, after " in error
    assert "Nothing of this call has landed." in error
    assert not home.messages.exists()


def test_line_numbers_of_a_compressed_envelope_are_those_of_its_content(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.jsonl.gz").write_bytes(gzip.compress((ONE * 999 + "{}\n").encode()))
    error = refusal(capsys, "--source", "shop", "a.jsonl.gz")
    assert error.startswith("watershed land: a.jsonl.gz:1000: Object missing required field `topic`")
    (project / "zero.jsonl.gz").write_bytes(gzip.compress(b"0" * 10_000_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("watershed.landing.messages.MAX_LINE_BYTES", 4_194_304)
        assert "zero.jsonl.gz:1: more than" in refusal(capsys, "--source", "shop", "zero.jsonl.gz")
    assert not home.messages.exists()
