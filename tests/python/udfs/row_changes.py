"""Changes of rows for tests of the fold: single ones in few words, and whole histories in each kind of order."""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from histories import HistoryProfile, Key, Row, Step, draw, key_of
from watershed_udfs.change import Change, Truncate, is_before_truncate
from watershed_udfs.fold import Version, image_after

SECOND = 1_000_000
KINDS = ("sequence", "second", "chain", "position", "log", "window")
PLAIN = Change(1, None, None, 1, "t", 0, 0, 0, "", "update_postimage", "full", b"{}", None, None, None)


def change(name: str, kind: str = "update_postimage", image: str | None = "{}", **fields: object) -> Change:
    """One change, its place the digits in its name; a preimage sorts before its postimage."""
    place = int("".join(letter for letter in name if letter.isdigit()) or 0)
    told = {"offset": place, "image_rank": int(kind != "update_preimage")} | fields
    sequence = told.pop("sequence", place)
    return PLAIN._replace(
        change_id=name,
        change_type=kind,
        row_image=None if image is None else image.encode(),
        sequence=None if sequence is None else Decimal(str(sequence)),
        **told,
    )


def truncate(sequence: int | None = None, **fields: object) -> Truncate:
    """A truncate by sequence, or by position."""
    number = None if sequence is None else Decimal(sequence)
    return Truncate(sequence is None, 1, number, None, int(sequence is not None), "t", 0, sequence, 0, None)._replace(
        **fields
    )


@dataclass
class Feed:
    """A history as changes of rows and truncates of their table, each message a list: its changes come together."""

    messages: dict[Key, list[list[Change]]] = field(default_factory=lambda: defaultdict(list))
    truncates: list[Truncate] = field(default_factory=list)


def feed_of(steps: list[Step], kind: str, profile: HistoryProfile, chance: random.Random) -> Feed:
    """Write a history in a kind of order, several steps to some messages."""
    return feed_of_messages(_by_message(steps, kind, chance), kind, profile, chance)


def feed_of_messages(messages: Iterable[list[Step]], kind: str, profile: HistoryProfile, chance: random.Random) -> Feed:
    """Write messages of one or more steps each; copies of messages are at later places."""
    feed = Feed()
    offsets: dict[int, int] = defaultdict(int)
    for together in messages:
        partition = chance.randrange(3) if kind in ("sequence", "second", "chain") else 0
        for copy in range(1 + (kind not in ("position", "log") and chance.random() < 0.4)):
            place = {"partition": partition, "offset": offsets[partition]}
            offsets[partition] += 1
            if together[0].operation in ("truncate", "drop"):
                if not copy:
                    feed.truncates.append(_truncate(together[0], kind)._replace(**place))
                continue
            halves = [half for step in together for half in _halves(step, kind, profile)]
            # The halves of a change are in one message or in two, except where only position or the chain orders them.
            is_apart = len(together) == 1 and kind in ("sequence", "second", "position") and chance.random() < 0.5
            of_message: dict[Key, list[Change]] = defaultdict(list)
            for index, (key, one) in enumerate(halves):
                told = one._replace(**place, event_index=index)
                if is_apart and index and kind == "position":
                    offsets[partition] += 1
                    told = told._replace(offset=told.offset + 1, event_index=0)
                if is_apart:
                    feed.messages[key].append([told])
                else:
                    of_message[key].append(told)
            for key, changes in of_message.items():
                feed.messages[key].append(changes)
    if kind == "log":
        _send_again(feed, offsets[0], chance)
    return feed


def _send_again(feed: Feed, offset: int, chance: random.Random) -> None:
    """Messages once more after all others, each at a position of its own."""
    for of_key in feed.messages.values():
        partition = chance.randrange(2)
        for message in [one for one in of_key if chance.random() < 0.4]:
            of_key.append([one._replace(partition=partition, offset=offset) for one in message])
            offset += 1


def _by_message(steps: list[Step], kind: str, chance: random.Random) -> Iterator[list[Step]]:
    """Put steps into messages: of one row or several, which a message may change several times."""
    together: list[Step] = []
    for step in steps:
        is_alone = kind == "chain" or step.operation in ("truncate", "drop")
        fits = together and together[-1].second == step.second and together[-1].operation not in ("truncate", "drop")
        if together and (is_alone or not fits or chance.random() < 0.4):
            yield together
            together = []
        together.append(step)
    if together:
        yield together


def _halves(step: Step, kind: str, profile: HistoryProfile) -> Iterator[tuple[Key, Change]]:
    base = PLAIN._replace(event_at=step.second * SECOND, **_order(step, kind))
    is_load = step.operation == "load"
    if kind == "log":
        # Rows of a snapshot come in the order of the log, as Debezium sends them. Two changes may have one position.
        base = base._replace(sequence_number=Decimal(step.number // 2))
    elif is_load:
        base = base._replace(phase=0, event_at=None if kind != "position" else base.event_at)
    before_hash = None
    if kind == "chain":
        before_hash = hashlib.sha256(image(step.before).encode() if step.before else b"").hexdigest()
    updates = step.before is not None and step.after is not None
    if step.before is not None and (kind != "window" or not step.after or step.moves):
        type_ = "update_preimage" if updates and kind != "window" else "delete"
        yield (
            key_of(step.before),
            base._replace(
                change_id=f"{step.number}-before",
                change_type=type_,
                row_image=image(step.before).encode(),
                image_rank=0 if updates and kind not in ("position", "log", "window") else base.image_rank,
                before_hash=before_hash,
            ),
        )
    if step.after is not None:
        is_part = updates and profile.is_partial and not step.moves and kind not in ("chain", "window")
        row = {name: value for name, value in step.after.items() if not is_part or _is_told(name, step)}
        yield (
            key_of(step.after),
            base._replace(
                change_id=f"{step.number}-after",
                change_type="update_postimage" if updates else "upsert" if is_load else "insert",
                row_image=image(row).encode(),
                image_scope="partial" if is_part else "full",
                before_hash=before_hash,
            ),
        )


def _is_told(name: str, step: Step) -> bool:
    return name in ("id", "region") or name in step.changed


def _order(step: Step, kind: str) -> dict[str, object]:
    if kind == "sequence":
        return {"sequence": Decimal(step.number)}
    if kind == "second":
        return {"sequence": Decimal(step.second), "serial": Decimal(step.serial)}
    if kind in ("chain", "window"):
        return {"sequence": Decimal(step.second)}
    return {"sequence": None, "image_rank": 0}


def _truncate(step: Step, kind: str) -> Truncate:
    order = {name: value for name, value in _order(step, kind).items() if name in Truncate._fields}
    return truncate(event_at=step.second * SECOND)._replace(is_by_position=kind in ("position", "log"), **order)


def image(row: Row | None) -> str:
    """A row as its canonical image."""
    return json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def history(profile: HistoryProfile, seed: int) -> list[Step]:
    """A history of a profile."""
    return draw(random.Random(f"{profile.name} {seed}"), profile)


def hashed(text: str) -> str:
    """The before image of a chained change."""
    return hashlib.sha256(text.encode()).hexdigest()


def shown(changes: list[Change], version: Version, truncates: tuple[Truncate, ...] | list[Truncate]) -> str | None:
    """The image of a version; null if the row is gone."""
    is_gone = version.is_deleted or any(is_before_truncate(changes[version.change], one) for one in truncates)
    return None if is_gone else image_after(changes, version)
