"""A moment of fuzzing (with WATERSHED_PROOF=1 a minute per target), and every case that ever failed."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from random import Random

import pytest

from fuzz import run
from fuzz.independent_json import Reader, RefusedError
from fuzz.targets import TARGETS, Target

IS_PROOF = bool(os.environ.get("WATERSHED_PROOF"))
SEED = secrets.randbelow(10**9) if IS_PROOF else 20
SECONDS, CASES = (60.0, None) if IS_PROOF else (5.0, 400)


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_is_read_wrong_and_nothing_raises(name: str) -> None:
    count, failed = run.fuzz(name, SEED, SECONDS, CASES)
    assert not failed, f"seed {SEED}: {len(failed)} of {count} cases failed, kept as {', '.join(map(str, failed))}"
    print(f"{name}: seed {SEED}, {count} cases")


@pytest.mark.parametrize("path", sorted(run.FAILURES.glob("*.json")), ids=lambda path: path.stem)
def test_earlier_failures_hold(path: Path) -> None:
    kept = json.loads(path.read_text(encoding="utf-8"))
    TARGETS[kept["target"]].check(kept["case"])


def test_a_failure_is_written_as_a_file_that_can_be_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(case: dict[str, int]) -> None:
        raise ValueError(f"this is case {case['number']}")

    monkeypatch.setattr(run, "FAILURES", tmp_path / "failures")
    monkeypatch.setitem(run.TARGETS, "broken", Target(lambda random: {"number": random.randrange(1000)}, fail))
    count, failed = run.fuzz("broken", 1, 60)
    assert count == len(failed) == 10
    for place, path in enumerate(failed):
        kept = json.loads(path.read_text())
        assert kept["case"] == {"number": Random(f"1 {place}").randrange(1000)}
        assert f"seed 1, case {place}" in kept["reason"]
        assert "this is case" in kept["reason"]


@pytest.mark.parametrize(
    "text", [b"01", b"[1,]", b'{"a":1,"a":2}', b'"\\ud800"', b"\xff", b"nul", b"1 2", b"[[]]", b"-"]
)
def test_the_other_reader_refuses(text: bytes) -> None:
    with pytest.raises(RefusedError):
        Reader(text, max_depth=1).read()
