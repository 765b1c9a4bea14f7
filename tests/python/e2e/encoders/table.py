"""A table to write in a format: its name, its history, and a random generator for choices of the format."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import hypothesis
import msgspec
from delivery import Log
from histories import KEY_COLUMNS, PROFILES, START_SECONDS, HistoryProfile, Row, Step, draw, timed
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

DATABASE = "history"
_JSON = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True)
class Table:
    """A table with its history."""

    name: str
    number: int
    """What Databus knows it by."""
    seed: int
    profile: HistoryProfile
    steps: list[Step]

    def with_steps(self, steps: list[Step]) -> Table:
        """The same table with another history, with new numbers and times."""
        bare = [Step(step.operation, step.before, step.after) for step in steps]
        return replace(self, steps=timed(bare, random.Random(self.seed), self.profile))

    def chance(self, purpose: str) -> random.Random:
        """Chance of its own for each purpose, the same whenever it is asked for."""
        return random.Random(f"{purpose} {self.name} {self.seed}")

    def log(self, vendor_format: str, order: str = "sequence") -> Log:
        """An empty log of the table."""
        return Log(f"{vendor_format}.{self.name}", self.profile.partitions, order)

    def leaves_out(self, step: Step) -> bool:
        """Whether the images of this step leave out what did not change."""
        return self.profile.is_partial and not (step.moves and self.profile.has_full_key_updates)

    def route(self, chance: random.Random, key: object) -> object:
        """Where a change of this key goes if any partition will do."""
        return chance.random() if self.profile.is_scattered else key


def fixed_tables(seed: int) -> list[Table]:
    """One table of each profile."""
    return [
        Table(f"{profile.name}-{seed}", number, seed, profile, draw(random.Random(seed * 1000 + number), profile))
        for number, profile in enumerate(PROFILES, 1)
    ]


def generated_table(name: str, steps: int) -> Table:
    """A table for tests that need no more than one."""
    profile = HistoryProfile(name, steps=steps, keys=30, truncates=0.005)
    return Table(name, 1, 1, profile, draw(random.Random(name), profile))


def drawn_tables(seed: int, count: int) -> list[Table]:
    """Tables whose profiles and histories hypothesis draws: all of them go through the same runs of dbt."""
    drawn: list[Table] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=HealthCheck
    )
    @given(histories())
    def collect(history: tuple[HistoryProfile, list[Step]]) -> None:
        profile, steps = history
        number = 1000 + len(drawn)
        drawn.append(Table(f"drawn_{number}-{seed}", number, seed, profile, steps))

    collect()
    return drawn


@st.composite
def histories(draw_from: st.DrawFn) -> tuple[HistoryProfile, list[Step]]:
    """Histories of all kinds."""
    profile = HistoryProfile(
        "drawn",
        steps=draw_from(st.integers(1, 30)),
        key_kind=draw_from(st.sampled_from(sorted(KEY_COLUMNS))),
        keys=draw_from(st.integers(2, 6)),
        moves=draw_from(st.sampled_from([0, 0.1, 0.5])),
        truncates=draw_from(st.sampled_from([0, 0.1])),
        per_second=draw_from(st.sampled_from([1, 3, 30])),
        per_message=draw_from(st.sampled_from([1, 3])),
        loaded=draw_from(st.integers(0, 3)),
        is_partial=draw_from(st.booleans()),
        has_full_key_updates=draw_from(st.booleans()),
        sequence=draw_from(st.sampled_from(["padded", "plain", "millis", "counter", "none"])),
        copies=draw_from(st.sampled_from([1, 2, 5])),
        partitions=draw_from(st.integers(1, 4)),
        is_scattered=draw_from(st.booleans()),
        is_backwards=draw_from(st.booleans()),
        has_before=draw_from(st.booleans()),
    )
    return profile, draw(draw_from(st.randoms(use_true_random=False)), profile)


def to_json(value: object) -> str:
    """Write JSON with the digits that numbers have."""
    return _JSON.encode(value).decode()


def as_text(row: Row) -> Row:
    """A row whose values are all text or null."""
    return {name: None if value is None else str(value) for name, value in row.items()}


def event_seconds(step: Step) -> int:
    """When a step was committed."""
    return START_SECONDS + step.second


def event_millis(step: Step) -> int:
    """The same in milliseconds; sources send whole seconds."""
    return event_seconds(step) * 1000
