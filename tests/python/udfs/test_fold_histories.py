"""The fold of generated histories: whole, cut into runs, shuffled and with copies."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import NamedTuple

import pytest
from encoders import canal
from encoders.table import fixed_tables
from histories import (
    NEVER_VALID,
    PROFILES,
    HistoryProfile,
    Key,
    Row,
    Step,
    Version,
    timed,
    versions,
    without_truncates,
)
from histories import apply as apply_step
from hypothesis import given, settings
from hypothesis import strategies as st
from row_changes import KINDS, SECOND, Feed, change, feed_of, feed_of_messages, hashed, history, image, shown, truncate
from watershed_udfs import validity
from watershed_udfs.change import Change, Truncate, is_before_truncate
from watershed_udfs.fold import Folded, all_versions, fold, image_after, newest_version

RUNS = (1, 2, 7, 50)


def profiles(kind: str) -> list[HistoryProfile]:
    """The images of a kind of order: a chain has full images, each starting from the previous one."""
    told = [one for one in PROFILES if kind != "chain" or not (one.is_partial or one.reloaded)]
    return [replace(one, name=f"{one.name}-{kind}") for one in told]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_any_cut_of_a_history_gives_its_rows_and_versions(kind: str, seed: int) -> None:
    """The histories and their expected results are computed independently of the fold (histories.py)."""
    rows = 0
    for profile in profiles(kind):
        steps = history(profile, seed)
        chance = random.Random(f"{profile.name} {seed}")
        if kind in ("window", "chain"):
            # Such sources send no truncate in the middle of a window or a chain.
            bare = [Step(step.operation, step.before, step.after) for step in without_truncates(steps)]
            steps = timed(bare, chance, profile)
        feed = feed_of(steps, kind, profile, chance)
        expected = versions(steps, loads_have_time=kind in ("position", "log"))
        for key, messages in feed.messages.items():
            rows += 1
            check_row(feed, key, messages, expected[key], kind, chance)
    assert rows > 50


def check_row(
    feed: Feed,
    key: Key,
    messages: list[list[Change]],
    expected: list[Version],
    kind: str,
    chance: random.Random,
) -> None:
    by_position = kind == "window"
    changes = [one for message in messages for one in message]
    whole = fold(changes, by_position=by_position)
    truncates = feed.truncates
    told = [None if one.is_deleted else image_after(changes, one) for one in all_versions(whole, truncates)]
    history = [None if one.row is None else image(one.row) for one in expected]
    # The chain of one time determines only the last change.
    assert (told == history) if kind != "chain" else (told[-1] == history[-1]), key
    assert times(whole, truncates) == [(one.valid_from, one.valid_to) for one in expected], key
    kept = [changes[number] for number in whole.kept]
    newest = newest_version(whole, truncates)
    assert shown(changes, newest, truncates) == (told[-1] if expected[-1].is_current else None), key
    for runs in RUNS:
        shuffled = messages * 2
        chance.shuffle(shuffled)
        known: list[Change] = []
        spanned_partitions = False
        first_offsets: dict[Key, int] = {}
        for run in range(runs):
            fresh = [one for message in shuffled[run::runs] for one in message]
            arrived = known + [one for one in fresh if kind != "log" or not is_late_copy(one, first_offsets)]
            for one in fresh:
                place = (one.change_id, str(one.partition))
                first_offsets[place] = min(one.offset or 0, first_offsets.get(place, one.offset or 0))
            if arrived:
                folded = fold(arrived, spanned_partitions, by_position)
                known, spanned_partitions = [arrived[number] for number in folded.kept], folded.spans_partitions
        assert known == kept, (key, runs)


def is_late_copy(change: Change, first_offsets: dict[Key, int]) -> bool:
    """Whether an earlier run has read the change at an earlier position of its partition: `events` leaves it out."""
    first = first_offsets.get((change.change_id, str(change.partition)))
    return first is not None and (change.offset or 0) > first


def times(folded: Folded, truncates: list[Truncate]) -> list[tuple[int | None, int | None]]:
    """Since when and until when each version is valid, in seconds of the history."""
    behind = [
        [number for number, one in enumerate(truncates) if is_before_truncate(change, one)] for change in folded.changes
    ]
    return [
        tuple(
            NEVER_VALID if time == validity.NEVER_VALID else None if time is None else time // SECOND
            for time in (one.valid_from, one.valid_to)
        )
        for one in validity.validities(folded.changes, folded.ordered, truncates, behind)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_positions_in_several_partitions_give_the_versions_of_the_rules(seed: int) -> None:
    """Canal: rows in one partition or in several, times that go back, truncates in one partition or in all."""
    for table in fixed_tables(seed):
        _, rows, emptied = canal.written(table)
        truncates = [
            truncate(partition=one.partition, offset=one.offset, event_at=one.second * SECOND) for one in emptied
        ]
        expected = canal.canal_versions(table)
        for key, of_row in rows.items():
            changes = [of_position(number, one) for number, one in enumerate(of_row)]
            folded = fold(changes[::-1])
            told = [
                None if one.is_deleted else image_after(folded.changes, one) for one in all_versions(folded, truncates)
            ]
            assert told == [None if one.row is None else image(one.row) for one in expected[key]], (table, key)
            assert times(folded, truncates) == [(one.valid_from, one.valid_to) for one in expected[key]], (table, key)


def of_position(number: int, one: canal.Change) -> Change:
    """A change of the history as the fold takes it."""
    return change(
        f"c{number}",
        kind="delete" if one.row is None else "upsert",
        image=image(one.row or {}),
        image_scope="full" if one.is_whole else "partial",
        phase=one.phase,
        sequence=None,
        image_rank=0,
        partition=one.partition,
        offset=one.offset,
        event_index=one.index,
        event_at=one.second * SECOND,
    )


@st.composite
def chains_of_keys(draw: st.DrawFn) -> list[list[Step]]:
    """Messages of several updates of a few rows, which chain their keys: 1 -> 2 -> 3, 1 -> 2 -> 1, swaps."""
    live: dict[Key, Row] = {}
    messages: list[list[Step]] = []
    number = 0
    for size in draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)):
        messages.append([])
        for serial in range(1, size + 1):
            number += 1
            free = [{"id": key} for key in (1, 2, 3) if (str(key),) not in live]
            steps = [Step("insert", None, key | {"a": number, "b": number}) for key in free]
            for row in live.values():
                steps += [Step("update", row, row | key | {"a": number}) for key in ({}, *free)]
            steps += [Step("delete", row) for row in live.values()]
            step = replace(draw(st.sampled_from(steps)), number=number, second=len(messages), serial=serial)
            apply_step(step, live)
            messages[-1].append(step)
    return messages


@given(
    chains_of_keys(),
    st.sampled_from(["sequence", "second", "position", "window"]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
@settings(max_examples=300, deadline=None)
def test_chains_of_keys_in_messages_give_the_rows_and_versions(
    messages: list[list[Step]], kind: str, is_partial: bool, chance: random.Random
) -> None:
    profile = HistoryProfile("keys", is_partial=is_partial)
    feed = feed_of_messages(messages, kind, profile, chance)
    expected = versions([step for message in messages for step in message], loads_have_time=True)
    for key, of_row in feed.messages.items():
        check_row(feed, key, of_row, expected[key], kind, chance)


@st.composite
def awkward_rows(draw: st.DrawFn) -> list[list[Change]]:
    """Messages as no sound source sends them: ties, lone halves, mixed orders, times that go back."""
    has_sequence, is_chained = draw(st.booleans()), draw(st.booleans())
    images = ['{"a":1}', '{"a":2}', '{"b":1}', '{"a":1,"b":2}', '{"a":3,"gone":1}', "no image"]
    messages = []
    for number in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(["insert", "upsert", "update_postimage", "update_preimage", "delete", "pair"]))
        place = {
            # Without a sequence the next message may have the other half; with one, copies lie between messages.
            "offset": 20 * number if has_sequence else number,
            "partition": draw(st.integers(0, 1)),
            "event_at": draw(st.sampled_from([None, 1, 2, 3])),
            "phase": draw(st.sampled_from([0, 1, 1, 1])),
            "sequence": draw(st.integers(1, 3)) if has_sequence else None,
            "serial": draw(st.sampled_from([None, 1, 2])) if has_sequence else None,
            "before_hash": draw(st.sampled_from([hashed(""), hashed(images[0]), "unknown"])) if is_chained else None,
        }
        # All changes of a transaction of SharePlex may share one number: its images have no rank.
        is_ranked = has_sequence and draw(st.booleans())
        rank = {} if is_ranked else {"image_rank": int(has_sequence)}
        scope = draw(st.sampled_from(["full", "carried", "given", "partial"]))
        soft = draw(st.sampled_from([None, None, False, True]))
        halves = []
        if kind in ("pair", "update_preimage"):
            text = draw(st.sampled_from(images))
            halves.append(change(f"b{number}", "update_preimage", text, **place, **rank))
        if kind != "update_preimage":
            type_ = "delete" if soft else "update_postimage" if kind == "pair" else kind
            told = {"image_scope": scope, "is_soft_deleted": soft} if kind != "delete" else {"image_scope": "key"}
            text = draw(st.sampled_from(images))
            halves.append(change(f"a{number}", type_, text, event_index=len(halves), **place, **rank, **told))
        if len(halves) == 2 and is_ranked and not is_chained and draw(st.booleans()):
            # The halves are messages of their own, which is how no chain comes.
            halves[1] = halves[1]._replace(offset=halves[1].offset + 1, event_index=0)
            messages += [[one] for one in halves]
            continue
        messages.append(halves)
        if draw(st.integers(0, 3)) == 0 and has_sequence:
            # Never at the position of another message.
            elsewhere = {"offset": 20 * draw(st.integers(0, 9)) + number + 2, "partition": draw(st.integers(0, 1))}
            messages.append([one._replace(**elsewhere) for one in halves])
    return messages


@given(awkward_rows(), st.randoms(use_true_random=False), st.integers(1, 5), st.booleans())
@settings(max_examples=1000, deadline=None)
def test_any_cut_of_any_changes_keeps_the_same(
    messages: list[list[Change]], chance: random.Random, runs: int, by_position: bool
) -> None:
    changes = [one for message in messages for one in message]
    whole = fold(changes, by_position=by_position)
    kept = [changes[number] for number in whole.kept]
    chance.shuffle(messages)
    known: list[Change] = []
    spanned_partitions = False
    for run in range(runs):
        arrived = known + [one for message in messages[run::runs] for one in message]
        if arrived:
            folded = fold(arrived, spanned_partitions, by_position)
            known, spanned_partitions = [arrived[number] for number in folded.kept], folded.spans_partitions
    assert known == kept
    assert spanned_partitions == whole.spans_partitions
    newest = newest_version(whole)
    *_, last = all_versions(whole)
    assert (newest.change, newest.is_deleted, image_after(changes, newest)) == (
        last.change,
        last.is_deleted,
        image_after(changes, last),
    ), "what is kept decides as all of it does"


class Marked(NamedTuple):
    """Changes of a row that a column marks as deleted, truncates between them, and the row that must result."""

    changes: list[Change]
    truncates: list[Truncate]
    rows: list[str | None]
    """After each change."""
    last: str | None


SCOPES = ("full", "carried", "partial", "partial", "delete", "truncate")
NUMBERS = st.integers(0, 1)
IMAGES = st.fixed_dictionaries({"id": st.just(1)}, optional={"gone": NUMBERS, "v": NUMBERS, "w": NUMBERS})


@st.composite
def marked_rows(draw: st.DrawFn) -> Marked:
    """Draw the changes, and apply them to the columns one by one."""
    row: Row = {}
    marked = Marked([], [], [], None)
    for number, kind in enumerate(draw(st.lists(st.sampled_from(SCOPES), min_size=1, max_size=7))):
        told = draw(IMAGES)
        row = {} if kind in ("delete", "truncate") else (row if kind == "partial" else {}) | told
        result = image(row) if row and not row.get("gone") else None
        marked = marked._replace(last=result)
        if kind == "truncate":
            marked.truncates.append(truncate(number))
            continue
        mark = None if kind == "delete" or "gone" not in told else bool(told["gone"])
        type_ = "delete" if mark or kind == "delete" else "upsert"
        scope = "key" if kind == "delete" else kind
        marked.changes.append(change(f"c{number}", type_, image(told), image_scope=scope, is_soft_deleted=mark))
        marked.rows.append(result)
    return marked


@given(marked_rows(), st.randoms(use_true_random=False))
@settings(max_examples=1000, deadline=None)
def test_a_soft_delete_hides_its_row_and_keeps_its_columns(marked: Marked, chance: random.Random) -> None:
    """In one run, and in runs of any size and order."""
    if not marked.changes:
        return
    whole = fold(marked.changes)
    told = [
        None if one.is_deleted else image_after(marked.changes, one) for one in all_versions(whole, marked.truncates)
    ]
    assert told == marked.rows
    arriving = chance.sample(marked.changes, len(marked.changes))
    known: list[Change] = []
    while arriving:
        size = chance.randint(1, len(arriving))
        arrived, arriving = known + arriving[:size], arriving[size:]
        known = [arrived[number] for number in fold(arrived).kept]
    assert known == [marked.changes[number] for number in whole.kept]
    assert shown(known, newest_version(fold(known), marked.truncates), marked.truncates) == marked.last
