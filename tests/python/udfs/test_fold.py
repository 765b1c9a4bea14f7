"""The fold: each rule in a few rows; test_fold_histories.py has whole histories."""

from __future__ import annotations

import itertools
import sys
from decimal import Decimal

import pytest
from row_changes import SECOND, change, hashed, shown, truncate
from watershed_udfs.change import Change, Truncate
from watershed_udfs.fold import all_versions, decided_by, fold, newest_version


def state(changes: list[Change], *truncates: Truncate, runs: int = 1, by_position: bool = False) -> str | None:
    """The row that changes come to, cut into so many runs; null if it is gone."""
    kept: list[Change] = []
    spanned_partitions = False
    for run in range(runs):
        arrived = kept + changes[run::runs]
        if arrived:
            folded = fold(arrived, spanned_partitions, by_position)
            kept, spanned_partitions = [arrived[number] for number in folded.kept], folded.spans_partitions
    folded = fold(kept, spanned_partitions, by_position)
    return shown(kept, newest_version(folded, truncates), truncates)


INSERT = change("i1", "insert", '{"id":1,"name":"Ada","v":1}')
V2 = change("v2", image='{"id":1,"v":2}', image_scope="partial")
V3 = change("v3", image='{"id":1,"v":3}', image_scope="partial")
V2_BEFORE = change("b2", "update_preimage", '{"id":1,"name":"Ada","v":1}')


def test_a_late_preimage_hides_nothing_of_later_changes() -> None:
    whole = '{"id":1,"name":"Ada","v":3}'
    first = fold([INSERT, V2, V3])
    kept = [[INSERT, V2, V3][number] for number in first.kept]
    assert [one.change_id for one in kept] == ["i1", "v3"], "v2 says nothing that v3 does not say"
    assert state([*kept, V2_BEFORE]) == whole
    assert state([INSERT, V2, V3, V2_BEFORE]) == whole


ONE = '{"c0":1}'
BORN = change("c1", "insert", ONE, sequence=0, phase=0, serial=0, before_hash=hashed(""))
LEFT = change("u2", "update_preimage", ONE, sequence=0, phase=0, serial=300, before_hash=hashed(ONE))


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("changes", [[BORN, LEFT], [LEFT, BORN]])
def test_an_insert_and_a_change_of_its_key_in_one_millisecond_leave_no_ghost(changes: list[Change], runs: int) -> None:
    assert state(changes, runs=runs) is None
    assert state([one._replace(serial=None) for one in changes], runs=runs) is None


FULL_1 = change("f1", image='{"a":1,"b":1}')
FULL_2 = change("f2", image='{"a":2,"b":2}')
DELETE_3 = change("d3", "delete", '{"a":2,"b":2}')
PART_4 = change("p4", image='{"a":4}', image_scope="partial")
NULL_5 = change("n5", image='{"a":null}', image_scope="partial")
MOVED_2 = change("m2", image='{"a":9}', image_scope="carried")
GIVEN_6 = change("g6", image='{"a":6,"b":6}', image_scope="given")
SOFT_4 = change("s4", "delete", '{"gone":1}', image_scope="partial", is_soft_deleted=True)
BACK_5 = change("k5", image='{"gone":0}', image_scope="partial", is_soft_deleted=False)
HIDDEN_2 = change("h2", "delete", '{"a":2,"gone":1}', is_soft_deleted=True)
HIDDEN_3 = change("h3", "delete", '{"b":3,"gone":1}', image_scope="carried", is_soft_deleted=True)


def at(name: str, offset: int, seconds: int | None, partition: int = 0, **fields: object) -> Change:
    """A change without a sequence."""
    told = {"sequence": None, "image_rank": 0, "image": f'{{"v":"{name}"}}'} | fields
    time_ = None if seconds is None else seconds * SECOND
    return change(name, offset=offset, event_at=time_, partition=partition, **told)  # type: ignore[arg-type]


def emptied_at(offset: int, seconds: int, partition: int = 0) -> Truncate:
    return truncate(offset=offset, event_at=seconds * SECOND, partition=partition)


@pytest.mark.parametrize(
    ("changes", "truncates", "expected"),
    [
        pytest.param([FULL_2, FULL_1], [], '{"a":2,"b":2}', id="a late change never overwrites a newer one"),
        pytest.param([DELETE_3, FULL_2, FULL_1], [], None, id="an older change brings no deleted row back"),
        pytest.param([FULL_1, PART_4], [], '{"a":4,"b":1}', id="a missing column is unchanged"),
        pytest.param([FULL_1, NULL_5, PART_4], [], '{"a":null,"b":1}', id="an explicit null overwrites"),
        pytest.param([FULL_1, DELETE_3, PART_4], [], '{"a":4}', id="nothing shows through a delete"),
        pytest.param([FULL_1, MOVED_2], [], '{"a":9}', id="nothing shows through what moved"),
        pytest.param([FULL_1, PART_4, GIVEN_6], [], '{"a":6,"b":6}', id="a given image with all columns is all"),
        pytest.param([FULL_1, SOFT_4], [], None, id="a soft delete in part hides"),
        pytest.param([FULL_1, BACK_5, SOFT_4], [], '{"a":1,"b":1,"gone":0}', id="and comes back whole"),
        pytest.param([FULL_1, HIDDEN_2, PART_4], [], None, id="a full soft delete hides until it is revoked"),
        pytest.param([FULL_1, HIDDEN_2, BACK_5], [], '{"a":2,"gone":0}', id="and keeps its columns"),
        pytest.param([HIDDEN_2, HIDDEN_3, PART_4, BACK_5], [], '{"a":4,"b":3,"gone":0}', id="also when it moved"),
        pytest.param([HIDDEN_2, FULL_2._replace(offset=9, sequence=9)], [], '{"a":2,"b":2}', id="or is replaced"),
        pytest.param([HIDDEN_2, PART_4], [truncate(3)], '{"a":4}', id="unless a truncate removes them"),
        pytest.param([HIDDEN_2, DELETE_3, BACK_5], [], '{"gone":0}', id="or a delete"),
        pytest.param([INSERT, V2_BEFORE], [], None, id="a preimage removes while it is the newest"),
        pytest.param([INSERT, V2_BEFORE, V3], [], '{"id":1,"name":"Ada","v":3}', id="and hides nothing behind it"),
        pytest.param([FULL_1, PART_4], [truncate(2)], '{"a":4}', id="nothing shows through a truncate"),
        pytest.param([FULL_1, FULL_2], [truncate(3)], None, id="a truncate behind empties"),
        pytest.param(
            [change("i1"), change("d1", "delete", offset=2), change("i2", offset=3, image='{"v":2}')],
            [],
            '{"v":2}',
            id="one number: position orders an insert after a delete",
        ),
        pytest.param(
            [change("i1"), change("p1", "update_preimage", offset=2, image_rank=1)],
            [],
            None,
            id="one number: and a key update after an insert",
        ),
        pytest.param([at("x", 5, 1), at("y", 1, 2)], [], '{"v":"x"}', id="position goes before time"),
        pytest.param([at("x", 5, 1), at("y", 1, 2, 1)], [], '{"v":"y"}', id="but not in two partitions"),
        pytest.param(
            [at("x", 5, 1), at("y", 6, 3), at("z", 1, 2, 1)], [], '{"v":"y"}', id="where the time of all goes first"
        ),
        pytest.param([at("x", 5, 1)], [emptied_at(4, 9)], '{"v":"x"}', id="a truncate counts by position"),
        pytest.param([at("x", 5, 1)], [emptied_at(6, 0)], None, id="in its own partition"),
        pytest.param([at("x", 5, 1)], [emptied_at(4, 9, 1)], None, id="and by time in others"),
        pytest.param([at("x", 5, 9, phase=0)], [emptied_at(4, 1, 1)], None, id="but always counts after a full load"),
        pytest.param(
            [change("a2", serial=9, image='{"v":1}'), change("b2", serial=10, image='{"v":2}')],
            [],
            '{"v":2}',
            id="numbers compare as numbers",
        ),
        pytest.param(
            [change("load9", phase=0, image='{"v":1}'), change("x1", image='{"v":2}')],
            [],
            '{"v":2}',
            id="full loads come first",
        ),
    ],
)
def test_rules_of_the_fold(changes: list[Change], truncates: list[Truncate], expected: str | None) -> None:
    for runs in (1, 2, 3):
        for order in (changes, changes[::-1]):
            assert state(order, *truncates, runs=runs) == expected


def test_a_copy_in_front_moves_its_change_inside_a_window() -> None:
    window = [at(name, offset, 1, sequence=7) for name, offset in (("x", 1), ("y", 2), ("z", 3))]
    copy_of_z = window[2]._replace(offset=0)
    assert state(window, by_position=True, runs=2) == '{"v":"z"}'
    assert state([*window, copy_of_z], by_position=True, runs=2) == '{"v":"y"}'


def in_log(name: str, offset: int, number: int, **fields: object) -> Change:
    """A change of Debezium: position orders it, and its position in the log which first copy is earlier."""
    return at(name, offset, 1, **fields)._replace(sequence_number=Decimal(number))


def test_a_copy_that_is_read_before_its_original_ends_nothing() -> None:
    """The connector sent the insert again after the update; the copy is read first, then both originals."""
    born, changed = in_log("born", 0, 1), in_log("changed", 1, 2)
    again = born._replace(offset=7)
    for order in itertools.permutations([born, changed, again]):
        # `events` leaves out a copy that is read after an earlier one.
        read = [one for place, one in enumerate(order) if one != again or born not in order[:place]]
        assert state(read, runs=3) == '{"v":"changed"}', [(one.change_id, one.offset) for one in read]
    assert len(fold([again, changed]).kept) == 2, "the original of the copy may be before the other change"
    assert len(fold([born, changed]).kept) == 1, "the log says that no copy can be"


@pytest.mark.parametrize("partition", [0, 1])
def test_changes_of_one_log_position_wait_for_each_others_originals(partition: int) -> None:
    """Oracle's scn, a compressed transaction of MySQL, a transaction of MongoDB: several changes have one number."""
    born, changed = in_log("born", 0, 5), in_log("changed", 1, 5, partition=partition)
    again = born._replace(offset=7)
    for order in itertools.permutations([born, changed, again]):
        read = [one for place, one in enumerate(order) if one != again or born not in order[:place]]
        assert state(read, runs=3) == '{"v":"changed"}', [(one.change_id, one.offset) for one in read]


def test_position_goes_before_the_log_which_may_begin_again() -> None:
    """After a failover the numbers of the log are lower than before."""
    assert state([in_log("old", 0, 900), in_log("new", 1, 5)], runs=2) == '{"v":"new"}'


def test_of_several_partitions_the_log_orders_changes_of_one_time() -> None:
    first, second = in_log("first", 9, 1), in_log("second", 1, 2, partition=1)
    third = in_log("third", 3, 3)
    for order in itertools.permutations([first, second, third]):
        assert state(list(order), runs=3) == '{"v":"third"}'


def test_changes_of_one_millisecond_go_by_their_chain() -> None:
    images = ["", '{"v":1}', '{"v":2}', '{"v":3}']
    chain = [
        change(f"c{place}", image=images[place], sequence=5, serial=10 - place, before_hash=hashed(images[place - 1]))
        for place in (1, 2, 3)
    ]
    assert state(chain) == '{"v":3}'
    assert state([chain[2], chain[0], chain[1]], runs=3) == '{"v":3}'
    unknown = [chain[0], chain[1], chain[2]._replace(before_hash="unknown")]
    assert state(unknown) == '{"v":1}', "where one does not say what it started from, the serial decides"


def test_a_lone_preimage_of_a_chain_counts_until_a_base_follows() -> None:
    """It determines which of two others of its time is the last, regardless of later changes."""
    gone = change("d2", "delete", ONE, sequence=2, before_hash=hashed(""))
    back = change("i3", "insert", ONE, sequence=2, before_hash=hashed(""))
    left, left_again = (
        change(f"b{second}", "update_preimage", ONE, sequence=second, before_hash=hashed(ONE)) for second in (2, 3)
    )
    for changes in itertools.permutations([gone, back, left, left_again]):
        first = fold(changes[:3])
        kept = fold([*(changes[number] for number in first.kept), changes[3]])
        assert [kept.changes[number] for number in kept.kept] == [back, left, gone, left_again]


@pytest.mark.parametrize("runs", [1, 2])
def test_a_row_that_a_soft_delete_hid_comes_back_in_the_same_millisecond(runs: int) -> None:
    """A change that starts from the soft-deleted row comes after it, at any position."""
    images = ['{"gone":0}', '{"gone":1}', '{"gone":0,"v":2}']
    gone = change("a5", "delete", images[1], sequence=7, serial=7, before_hash=hashed(images[0]), is_soft_deleted=True)
    back = change("b3", image=images[2], sequence=7, serial=7, before_hash=hashed(images[1]), is_soft_deleted=False)
    for changes in ([gone, back], [back, gone]):
        assert state(changes, runs=runs) == images[2]


def test_without_a_sequence_a_preimage_belongs_to_the_postimage_directly_after_it() -> None:
    """By position the halves of an update are in two consecutive messages, as the source wrote them."""
    born, old, new = at("a", 4, 1), at("p", 5, 1)._replace(change_type="update_preimage"), at("b", 6, 1)
    assert [version.is_deleted for version in all_versions(fold([new, old, born]))] == [False, False]
    assert [(pair.change, pair.place) for pair in fold([new, old, born]).pairs] == [(1, 1)]
    gone = [False, True, False]
    for apart in (
        new._replace(offset=8),  # another row took its key
        new._replace(partition=1),
        new._replace(event_index=1),  # its own preimage is in its message
        new._replace(event_at=0),  # may come before it once the row spans partitions
        new._replace(sequence_number=Decimal(7)),  # another change of the source's log, sent again
    ):
        assert [version.is_deleted for version in all_versions(fold([apart, old, born]))].count(True) == 1, apart
    assert [version.is_deleted for version in all_versions(fold([born, old, new._replace(offset=8)]))] == gone


def in_message(offset: int, *images: tuple[str, int]) -> list[Change]:
    """The changes of one row in a Canal message, as change types and places in the message."""
    return [at(f"{kind}-{offset}-{index}", offset, 1, kind=kind, event_index=index) for kind, index in images]


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_preimage_belongs_to_the_postimage_right_after_it_and_to_none_before_it(runs: int) -> None:
    """An update of the row, then of its primary key, in one message: the old key is gone (Canal)."""
    born = in_message(0, ("insert", 0))
    updates = in_message(1, ("update_preimage", 0), ("update_postimage", 1), ("update_preimage", 2))
    folded = fold([*born, *updates])
    assert [pair.change for pair in folded.pairs] == [1], "only the first preimage"
    assert [version.is_deleted for version in all_versions(folded)] == [False, False, True]
    assert state([*born, *updates], runs=runs) is None
    assert state([*updates[::-1], *born], runs=runs) is None


def test_a_replaced_row_is_never_deleted() -> None:
    """OMS REPLACE: the image of the replaced row and an upsert in one message."""
    changes = in_message(0, ("insert", 0)) + in_message(1, ("update_preimage", 0), ("upsert", 1))
    folded = fold(changes[::-1])
    assert [(pair.change, pair.place) for pair in folded.pairs] == [(1, 1)]
    assert [version.is_deleted for version in all_versions(folded)] == [False, False]


def test_an_upsert_of_the_next_message_is_no_postimage() -> None:
    changes = in_message(1, ("update_preimage", 0)) + in_message(2, ("upsert", 0))
    for one in ([each._replace(sequence=None) for each in changes], changes):
        assert fold(one).pairs == []


def test_a_row_that_leaves_its_key_and_comes_back_in_one_message_was_gone_between() -> None:
    """1 -> 2 -> 1: the second update's postimage is not the one that follows the first update's preimage."""
    changes = in_message(0, ("insert", 0)) + in_message(1, ("update_preimage", 0), ("update_postimage", 3))
    folded = fold(changes[::-1])
    assert folded.pairs == []
    assert [version.is_deleted for version in all_versions(folded)] == [False, True, False]


def test_a_version_has_the_soft_delete_of_its_images() -> None:
    """It is carried over by a primary-key update; an unknown state differs from a negative one."""
    left = change("m6", "key_update_preimage", image_scope="key")
    for changes, expected in (
        ([FULL_1], None),
        ([FULL_1, SOFT_4], True),
        ([FULL_1, SOFT_4, BACK_5], False),
        ([HIDDEN_2], True),
        ([HIDDEN_2, PART_4], True),
    ):
        *_, departure = all_versions(fold([*changes, left]))
        assert departure.is_soft_deleted is expected
        assert 0 in departure.live, "the columns of the first image are carried over as well"


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (change("a1", phase=0), change("b1"), "phase"),
        (change("a1"), change("b2"), "sequence"),
        (change("a1", serial=1), change("b1", serial=2), "serial"),
        (change("a1", "update_preimage"), change("b1", "delete"), "image"),
        (at("a", 1, 1), at("b", 2, 1), "position"),
        (at("a", 1, 1), at("b", 1, 2, 1), "time"),
        (at("a", 1, 1), at("b", 2, 1, 1), "tie"),
        (change("a1", offset=1), change("b1", offset=2), "tie"),
        (BORN, BORN._replace(change_id="x", row_image=b"{}", before_hash=hashed(ONE)), "chain"),
        (BORN, LEFT, "serial"),
    ],
)
def test_the_deciding_criterion_is_named(before: Change, after: Change, reason: str) -> None:
    folded = fold([after, before])
    assert [folded.changes[number] for number in folded.ordered] == [before, after]
    assert [decided_by(folded, place) for place in (0, 1)] == ["first", reason]
    assert folded.ties == int(reason == "tie" and before.sequence is not None)


@pytest.mark.parametrize("scope", ["full", "partial"])
def test_a_row_of_very_many_changes_takes_no_steps_in_the_square(scope: str) -> None:
    def steps(count: int) -> int:
        changes = [change(f"c{n}", image=f'{{"hits":{n},"k{n % 50}":1}}', image_scope=scope) for n in range(count)]
        calls = 0

        def count_call(*_: object) -> None:
            nonlocal calls
            calls += 1

        # Of Python and of C, which no other work on the machine changes, as it does times.
        sys.setprofile(count_call)
        try:
            fold(changes)
        finally:
            sys.setprofile(None)
        return calls

    assert steps(8_000) < 4.5 * steps(2_000)
