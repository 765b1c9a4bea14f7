"""Rules of the fold that a mutation run found without a test: what is whole, what decides, what later runs need."""

from __future__ import annotations

import pytest
from row_changes import change, hashed, truncate
from test_fold import BORN, DELETE_3, FULL_1, GIVEN_6, LEFT, MOVED_2, PART_4, at
from watershed_udfs.change import Change, Truncate
from watershed_udfs.fold import decided_by, fold, image_after, newest_version

PART_1 = PART_4._replace(change_id="p1", sequence=FULL_1.sequence)


@pytest.mark.parametrize(
    ("changes", "truncates", "expected"),
    [
        pytest.param([FULL_1], [], True, id="a full image is whole"),
        pytest.param([FULL_1, PART_4], [], True, id="and what follows it"),
        pytest.param([PART_4], [], False, id="a part alone is not"),
        pytest.param([MOVED_2], [], False, id="what moved is not"),
        pytest.param([FULL_1, MOVED_2], [], False, id="and hides the whole image before it"),
        pytest.param([GIVEN_6], [], True, id="a given image that is the first is whole"),
        pytest.param([GIVEN_6, change("q7", image='{"b":7}', image_scope="partial")], [], True, id="and stays so"),
        pytest.param([PART_1, GIVEN_6], [], False, id="a given image over a part is not"),
        pytest.param([DELETE_3, GIVEN_6], [], True, id="after a delete it is"),
        pytest.param([FULL_1, DELETE_3, PART_4], [], False, id="a part after a delete is not"),
        pytest.param([FULL_1, PART_4], [truncate(2)], False, id="a truncate in between leaves a part"),
        pytest.param(
            [PART_1, FULL_1._replace(change_id="f9", sequence=GIVEN_6.sequence)], [], True, id="a full one last"
        ),
    ],
)
def test_a_row_is_whole_if_its_images_start_from_a_whole_one(
    changes: list[Change], truncates: list[Truncate], expected: bool
) -> None:
    for order in (changes, changes[::-1]):
        version = newest_version(fold(order), truncates)
        assert version.is_whole is expected


ROOT = change("r1", "insert", '{"v":1}', sequence=0, serial=None, before_hash=hashed(""))
NEXT = change("n2", image='{"v":2}', sequence=0, serial=None, before_hash=hashed('{"v":1}'))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param([ROOT, NEXT], "chain", id="nothing starts from the result of the last"),
        pytest.param([BORN, LEFT], "serial", id="in a circle the serial decides"),
        pytest.param([BORN._replace(serial=None), LEFT._replace(serial=None)], "chain", id="then the removal is last"),
        pytest.param(
            [
                change("b1", "update_preimage", '{"v":1}', sequence=0, serial=None, before_hash="unknown"),
                change("a2", image='{"v":2}', sequence=0, serial=None, before_hash="unknown"),
            ],
            "image",
            id="of two that do not say what they started from the postimage",
        ),
        pytest.param(
            [
                change("e2", image=None, sequence=0, serial=None, before_hash=hashed('{"v":1}')),
                change("b1", image='{"v":2}', sequence=0, serial=None, before_hash=hashed("")),
            ],
            "chain",
            id="a change without an image leaves nothing to start from",
        ),
        pytest.param([at("x", 1, 1), at("y", 2, 1)], "position", id="places of a partition"),
        pytest.param([at("x", 1, 1), at("y", 2, 1, 1)], "tie", id="places of two partitions do not compare"),
    ],
)
def test_what_puts_a_change_after_the_one_before(changes: list[Change], expected: str) -> None:
    for order in (changes, changes[::-1]):
        folded = fold(order)
        assert [folded.changes[number].change_id for number in folded.ordered] == [one.change_id for one in changes]
        assert decided_by(folded, 1) == expected


@pytest.mark.parametrize(
    ("changes", "spans_partitions", "kept"),
    [
        pytest.param(
            [at("y", 1, 3), at("x", 5, 2, sequence=7)], False, "yx", id="without a sequence the time may count"
        ),
        pytest.param([at("y", 1, 2), at("x", 5, 3)], False, "x", id="older by position and by time"),
        pytest.param([at("y", 1, 3), at("x", 5, 2)], False, "yx", id="a later time counts once the row is spread"),
        pytest.param([at("y", 1, 2), at("x", 5, 2)], False, "x", id="of one time the place decides"),
        pytest.param([at("y", 5, 3), at("x", 1, 2)], True, "y", id="spread already: time only"),
        pytest.param([at("y", 1, None), at("x", 5, 2)], False, "x", id="no time sorts before a time"),
        pytest.param([at("y", 1, 2), at("x", 5, None)], False, "yx", id="so the one without a time is not the last"),
        pytest.param([at("y", 1, 3, phase=0), at("x", 5, 2)], False, "x", id="rows of a full load have one order"),
        pytest.param([at("y", 1, 3, phase=0), at("x", 5, 2, phase=0)], False, "yx", id="in which copies move them"),
        pytest.param(
            [at("y", 1, 3, serial=1), at("x", 5, 2, serial=2)], False, "yx", id="a serial goes before position"
        ),
        pytest.param(
            [at("y", 1, 3, sequence=7), at("x", 5, 2, sequence=8)], False, "x", id="a sequence goes by itself"
        ),
        pytest.param(
            [at("y", 1, 3, sequence=7), at("x", 5, 2, sequence=7)], False, "yx", id="of one number each may be the last"
        ),
    ],
)
def test_changes_that_may_still_count_are_kept(changes: list[Change], spans_partitions: bool, kept: str) -> None:
    for order in (changes, changes[::-1]):
        folded = fold(order, spans_partitions)
        assert sorted(folded.changes[number].change_id for number in folded.kept) == sorted(kept)


def test_the_widest_frontier_counts_whatever_the_order() -> None:
    """Of three whole images, the middle one is older than another in each of both orders."""
    changes = [at("y", 1, 9), at("m", 2, 5), at("x", 3, 7)]
    folded = fold(changes)
    assert [changes[number].change_id for number in folded.kept] == ["y", "x"]


def test_ties_are_changes_that_only_differ_in_place() -> None:
    before = change("b1", "update_preimage", '{"v":1}', sequence=0, serial=None, before_hash="unknown")
    after = change("a2", image='{"v":2}', image_scope="partial", sequence=0, serial=None, before_hash="unknown")
    assert fold([before, after]).ties == 0, "a postimage comes after a preimage"
    assert fold([after, after._replace(change_id="a3", offset=3)]).ties == 1


def test_an_image_that_is_no_utf_8_is_written_with_a_mark() -> None:
    broken = FULL_1._replace(row_image=b'{"a":"\xff"}')
    assert image_after([broken], newest_version(fold([broken]))) == '{"a":"\ufffd"}'
