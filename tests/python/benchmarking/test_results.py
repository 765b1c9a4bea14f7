"""What is worked out of measured times."""

from __future__ import annotations

import random

import pytest

from benchmarks.machine import Timing
from benchmarks.results import Ratio, Step, Trend, table

TURNS = (7.0, 8.0, 12.0)


@pytest.mark.parametrize("grows", [0.0, 0.5, -0.5])
def test_a_trend_is_found_among_turns_of_other_work(grows: float) -> None:
    drawn = random.Random(1)
    seconds = [TURNS[number % 3] + grows * number / 100 + drawn.gauss(0, 0.2) for number in range(210)]
    trend = Trend.of(seconds, len(TURNS))
    assert trend.within == pytest.approx(0.05, abs=0.02)
    assert abs(trend.per_hundred - grows) < 1.5 * trend.within


def test_a_step_without_processor_time_has_no_ratio_of_it() -> None:
    steps = {name: Step(name) for name in ("one", "other")}
    for seconds, step in zip((2.0, 4.0), steps.values(), strict=True):
        step.add(Timing(seconds, 0.0, 1.0))
        step.add(Timing(seconds, 0.0, 1.0))
    assert table(steps, [Ratio("one", "other", 1.0)]).splitlines()[-1].split() == ["one", "other", "0.50", "1.0"]
