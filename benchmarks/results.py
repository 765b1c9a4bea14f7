"""Steps with their times: median, spread, ratio; as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression, mean, median

from benchmarks.machine import Timing
from watershed.tables import aligned


@dataclass
class Step:
    """One measured step: its first time is the warm-up and is not counted."""

    name: str
    warm_up: Timing | None = None
    runs: list[Timing] = field(default_factory=list)

    def add(self, timing: Timing) -> None:
        """Keep one more time; the first is the warm-up."""
        if self.warm_up is None:
            self.warm_up = timing
        else:
            self.runs.append(timing)

    @property
    def median(self) -> float:
        """The median of the runs after the warm-up, in seconds."""
        return median(timing.seconds for timing in self.runs)

    @property
    def cpu_median(self) -> float:
        """The median of the processor seconds, of all cores."""
        return median(timing.cpu_seconds for timing in self.runs)

    def as_json(self) -> dict[str, object]:
        """Return all that was measured."""
        assert self.warm_up is not None
        seconds = [timing.seconds for timing in self.runs]
        return {
            "warm_up_seconds": round(self.warm_up.seconds, 3),
            "seconds": [round(one, 3) for one in seconds],
            "median_seconds": round(self.median, 3),
            "fastest_seconds": round(min(seconds), 3),
            "slowest_seconds": round(max(seconds), 3),
            "cpu_seconds": [round(timing.cpu_seconds, 3) for timing in self.runs],
            "load_before": [round(timing.load_before, 2) for timing in self.runs],
        }


@dataclass(frozen=True)
class Trend:
    """The increase in seconds of a run after a hundred others, and its uncertainty (two standard errors)."""

    per_hundred: float
    within: float

    @classmethod
    def of(cls, seconds: Sequence[float], turns: int) -> Trend:
        """Fit a line through periodic runs: each is compared with those of the same position in the period."""
        places, left = (_apart(values, turns) for values in (range(len(seconds)), seconds))
        slope = linear_regression(places, left, proportional=True).slope
        spread = sum((one - slope * place) ** 2 for place, one in zip(places, left, strict=True))
        freedom = (len(seconds) - turns - 1) * sum(place**2 for place in places)
        return cls(100 * slope, 200 * (spread / freedom) ** 0.5)


def _apart(values: Sequence[float], turns: int) -> list[float]:
    of_turns = [mean(values[turn::turns]) for turn in range(turns)]
    return [value - of_turns[place % turns] for place, value in enumerate(values)]


@dataclass(frozen=True)
class Ratio:
    """The ratio of the times of two steps, by medians."""

    step: str
    other: str
    target: float | None = None


def table(steps: dict[str, Step], ratios: list[Ratio]) -> str:
    """Return the table that is printed."""
    rows = []
    for step in steps.values():
        assert step.warm_up is not None
        seconds = sorted(timing.seconds for timing in step.runs)
        load = max(timing.load_before for timing in step.runs)
        cells = [f"{one:.2f}" for one in (step.warm_up.seconds, step.median, seconds[0], seconds[-1], step.cpu_median)]
        rows.append([step.name, *cells, f"{load:.1f}"])
    header = ["step (wall seconds)", "warm-up", "median", "fastest", "slowest", "cpu", "load"]
    lines = [aligned(header, rows, right=[1, 2, 3, 4, 5, 6]), ""]
    ratio_rows = [
        [
            ratio.step,
            ratio.other,
            f"{wall:.2f}",
            "" if ratio.target is None else f"{ratio.target:.1f}",
            _cpu_ratio(steps[ratio.step], steps[ratio.other]),
        ]
        for ratio, wall in zip(ratios, ratio_values(steps, ratios), strict=True)
    ]
    lines.append(aligned(["ratio of", "to", "wall", "at most", "cpu"], ratio_rows, right=[2, 3, 4]))
    return "\n".join(lines)


def _cpu_ratio(step: Step, other: Step) -> str:
    """Return nothing where the processor time of a step was not measured."""
    return f"{step.cpu_median / other.cpu_median:.2f}" if other.cpu_median else ""


def ratio_values(steps: dict[str, Step], ratios: list[Ratio]) -> list[float]:
    """Return the ratios of the medians."""
    return [steps[ratio.step].median / steps[ratio.other].median for ratio in ratios]


def write(path: Path, facts: dict[str, object], steps: dict[str, Step], ratios: list[Ratio]) -> None:
    """Write everything as JSON."""
    content = facts | {
        "steps": {name: step.as_json() for name, step in steps.items()},
        "ratios": [
            {"of": ratio.step, "to": ratio.other, "is": round(value, 3), "at_most": ratio.target}
            for ratio, value in zip(ratios, ratio_values(steps, ratios), strict=True)
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
