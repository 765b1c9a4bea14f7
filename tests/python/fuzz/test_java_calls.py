"""The proof that the functions in Java and their references agree: codes, details and texts of 120,000 calls."""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest

from fuzz.java_calls import SPECS, disagreements, make_call

SEED = int(os.environ.get("WATERSHED_SEED", "20"))
BATCH = 4_000


def agreeing_calls(batches: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for batch in range(batches):
        cases = [make_call(Random(f"{SEED} {batch} {number}")) for number in range(BATCH)]
        found = disagreements(cases)
        assert not found, f"seed {SEED}: {len(found)} of {BATCH} calls differ, the first: {found[0]}"
        counts.update(case["function"] for case in cases)
    return counts


def test_java_agrees_with_the_references() -> None:
    counts = agreeing_calls(1)
    assert min(counts.values()) > BATCH / 30
    assert len(counts) == 10


@pytest.mark.proof
def test_java_agrees_with_the_references_in_all_of_many_calls() -> None:
    assert agreeing_calls(30).total() == 120_000


def test_specifications_of_made_up_calls_use_every_kind() -> None:
    kinds = {entry[1] for spec in SPECS for entry in spec}
    assert kinds == {"any", "array", "ddl_meta", "key", "names", "object", "text", "types"}
