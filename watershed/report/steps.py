"""Steps of time, so that a plot shows an hour and ten years alike."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum


class Step(StrEnum):
    """Time span of one column of a plot; the names are those of Spark's date_trunc."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    MONTH = "month"


FEWEST = 12
"""Fewer columns would look like a table of one bar."""
MOST = 60
_LENGTHS = {Step.MINUTE: dt.timedelta(minutes=1), Step.HOUR: dt.timedelta(hours=1), Step.DAY: dt.timedelta(days=1)}
_FORMATS = {Step.MINUTE: "%Y-%m-%d %H:%M", Step.HOUR: "%Y-%m-%d %H:00", Step.DAY: "%Y-%m-%d", Step.MONTH: "%Y-%m"}


def step_for(first: dt.datetime, last: dt.datetime) -> Step:
    """Return the smallest step of which the span has no more than MOST; months may be more.

    All at one moment is shown by days: that is how people ask when something landed.
    """
    if first == last:
        return Step.DAY
    return next((step for step, length in _LENGTHS.items() if (last - first) / length < MOST - 1), Step.MONTH)


def steps_between(step: Step, first: dt.datetime, last: dt.datetime) -> list[dt.datetime]:
    """Return the beginnings of the steps from the first to the last, at least FEWEST and the newest MOST.

    Args:
        step: How long each is.
        first: Beginning of a step.
        last: Beginning of a step, not before the first.
    """
    steps = [last]
    while len(steps) < MOST and (steps[-1] > first or len(steps) < FEWEST):
        steps.append(_before(step, steps[-1]))
    return steps[::-1]


def label(step: Step, moment: dt.datetime) -> str:
    """Return the name of a step."""
    return moment.strftime(_FORMATS[step])


def _before(step: Step, moment: dt.datetime) -> dt.datetime:
    return (moment - dt.timedelta(days=1)).replace(day=1) if step is Step.MONTH else moment - _LENGTHS[step]
