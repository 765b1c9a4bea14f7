"""The generators of the benchmarks: the same bytes for a seed, and messages with the generated changes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from reference.strict_json import read_json
from watershed_udfs.errors import PayloadError

from benchmarks.change_log import PARTITIONS, Shape
from benchmarks.families import FAMILIES
from benchmarks.format_messages import make_files, messages, write_file
from watershed.landing.envelope import check_line

SHAPE = Shape(8_000, 2_000)


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


def test_blob_messages_stay_what_they_were(tmp_path: Path) -> None:
    """Figures of different days compare only if the bytes do."""
    files = make_files("datahub_blob", Shape(2_000, 500), tmp_path)
    content = b"".join(file.read_bytes() for file in files)
    assert content.count(b"\n") == 2_000
    assert sha256(content).hexdigest() == "3d9a58473d85cd9acad975fd6e87ced4e93df245373b35bbd4fc7e63b3da19d2"
