"""The expected results of the random histories are computed twice, in two ways, to validate the proof."""

from __future__ import annotations

import random
from dataclasses import replace

from delivery import Log
from encoders import FORMATS, Table
from encoders.canal import canal_versions
from encoders.table import fixed_tables, histories
from histories import HistoryProfile, Step, fold, versions, without_truncates
from hypothesis import given, settings


@given(histories())
def test_the_last_versions_are_the_rows(history: tuple[HistoryProfile, list[Step]]) -> None:
    _, steps = history
    last = {key: told[-1].row for key, told in versions(steps, True).items() if told[-1].is_current}
    assert {key: row for key, row in last.items() if row is not None} == fold(steps)
    assert fold(without_truncates(steps)) == fold(steps)


@settings(deadline=None)
@given(histories())
def test_order_by_position_and_second_is_that_of_the_source_where_it_can_be(
    history: tuple[HistoryProfile, list[Step]],
) -> None:
    profile, steps = history
    sound = replace(profile, is_backwards=False, partitions=1) if profile.per_second > 1 else profile
    sound = replace(sound, is_backwards=False)
    assert canal_versions(Table("t", 1, 1, sound, steps)) == versions(steps, True)


def test_every_message_comes_as_often_as_it_should() -> None:
    log = Log("t", partitions=2)
    for number in range(10):
        log.append(number, str(number))
    batches = log.deliver(random.Random(1), copies=5, batches=3, is_scattered=True)
    assert sum(map(len, batches)) == 50
    assert len({line for batch in batches for line in batch}) == 50


def test_all_formats_can_write_all_characters() -> None:
    for vendor_format in FORMATS:
        for table in map(vendor_format.table, fixed_tables(1)):
            assert vendor_format.encode(table).messages
            assert vendor_format.versions(table).keys() == versions(table.steps, True).keys()
