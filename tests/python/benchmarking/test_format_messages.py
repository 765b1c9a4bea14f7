"""The generators of the benchmarks: the same bytes for a seed, and messages with the generated changes."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from watershed_udfs.errors import PayloadError
from watershed_udfs.strict_json import read_json

from benchmarks import blob_messages
from benchmarks.change_log import PARTITIONS, Shape
from benchmarks.families import FAMILIES
from benchmarks.format_messages import messages, write_file
from benchmarks.python_formats import events_of
from watershed.landing.envelope import check_line

SHAPE = Shape(8_000, 2_000)
IMAGE, CHANGE_TYPE, OUTCOME = 7, 5, 14


def rows_of(format_name: str, partition: int) -> list[tuple[object, ...]]:
    events, seen = events_of(format_name), set[bytes]()
    return [
        row
        for offset, (_, key, value) in enumerate(messages(format_name, SHAPE, partition))
        for row in events(value, None if key is None else key.encode(), ("shop", partition, offset), seen)
    ]


@pytest.mark.parametrize("format_name", FAMILIES)
def test_a_seed_gives_the_same_lines_again(format_name: str, tmp_path: Path) -> None:
    shapes = {"first": Shape(2_000, 500), "again": Shape(2_000, 500), "other": Shape(2_000, 500, seed=2)}
    for name, shape in shapes.items():
        write_file(format_name, shape, 3, tmp_path / name)
    first, again, other = ((tmp_path / name).read_bytes() for name in shapes)
    assert first == again != other
    lines = first.splitlines()
    assert len(lines) == 2_000 // PARTITIONS
    for line in lines:
        check_line(line)


@pytest.mark.parametrize("format_name", sorted({*FAMILIES} - {"databus_binary"}))
def test_messages_are_strict_json_but_for_the_few_bad_ones(format_name: str) -> None:
    bad = sizes = 0
    for partition in range(PARTITIONS):
        for _, _, value in messages(format_name, SHAPE, partition):
            sizes += len(value)
            try:
                read_json(value)
            except PayloadError:
                bad += 1
    assert bad <= SHAPE.messages * 0.001
    assert 400 <= sizes / SHAPE.messages <= 900


@pytest.mark.parametrize("format_name", FAMILIES)
def test_readers_find_the_changes_that_were_drawn(format_name: str) -> None:
    rows = [row for partition in range(PARTITIONS) for row in rows_of(format_name, partition)]
    outcomes = Counter(row[OUTCOME] for row in rows)
    assert outcomes["quarantined"] <= SHAPE.messages * 0.001
    assert outcomes["change"] > SHAPE.messages * 0.95
    is_twice_a_duplicate = format_name != "oms_canal"
    assert (outcomes["duplicate"] > SHAPE.messages * 0.002) == is_twice_a_duplicate
    kinds = Counter(row[CHANGE_TYPE] for row in rows if row[OUTCOME] == "change")
    assert kinds["delete"] == pytest.approx(SHAPE.keys * 0.2, rel=0.3)
    assert kinds["update_preimage"] == kinds["update_postimage"]


def test_bad_messages_come_as_often_as_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.format_messages.BAD_SHARE", 0.25)
    for format_name in FAMILIES:
        outcomes = Counter(row[OUTCOME] for row in rows_of(format_name, 0))
        assert outcomes["quarantined"] == pytest.approx(SHAPE.messages / PARTITIONS * 0.25, rel=0.2), format_name


def test_an_update_starts_from_the_image_before_it() -> None:
    images: dict[object, object] = {}
    for row in rows_of("oms_default", 5):
        if row[OUTCOME] != "change":
            continue
        key = (row[3], row[4])
        if row[CHANGE_TYPE] in ("update_preimage", "delete"):
            assert images.pop(key) == row[IMAGE]
        else:
            images[key] = row[IMAGE]
    assert len(images) > SHAPE.keys / PARTITIONS / 2


def test_blob_messages_are_stable(tmp_path: Path) -> None:
    """Figures of different days compare only if the bytes do."""
    files = blob_messages.make_files(Shape(2_000, 500), tmp_path)
    content = b"".join(file.read_bytes() for file in files)
    assert content.count(b"\n") == 2_000
    assert sha256(content).hexdigest() == "e00fc854984274b2e9f5e8d14f2d3d1e98e5b1873cdbfcc374a931daa5458636"
