"""Generates messages of any format of `families` as envelope files: the same ones for the same shape.

Each partition is a separate change log, so that all cores can write independent files.
"""

from __future__ import annotations

import base64
import os
import random
import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import orjson

from benchmarks.change_log import (
    BAD_SHARE,
    DUPLICATE_SHARE,
    HEARTBEAT_SHARE,
    PARTITIONS,
    RECENT_MESSAGES,
    Change,
    ChangeLog,
    Object,
    Shape,
)
from benchmarks.families import FAMILIES
from benchmarks.families.common import Family

Message = tuple[int, str | None, bytes]
"""Time in ms, record key and value."""

_LINES_AT_ONCE = 2_000


def make_files(format_name: str, shape: Shape, work: Path) -> list[Path]:
    """Write the messages as envelope lines in a folder of `work`, one file per partition, and return the files.

    Complete files of an earlier call are reused.
    """
    folder = work / f"{format_name}-{shape.messages}-{shape.seed}"
    paths = [folder / f"{format_name}-{partition}.jsonl" for partition in range(PARTITIONS)]
    done = folder / "complete.json"
    description = orjson.dumps(shape)
    if done.exists() and done.read_bytes() == description:
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    done.unlink(missing_ok=True)
    # Not forked, because a process with threads must not fork.
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(write_file, format_name, shape), range(PARTITIONS), paths))
    done.write_bytes(description)
    return paths


def write_file(format_name: str, shape: Shape, partition: int, path: Path) -> None:
    """Write the messages of one partition as envelope lines."""
    lines: list[bytes] = []
    with path.open("wb") as stream:
        for offset, (millis, key, value) in enumerate(messages(format_name, shape, partition)):
            envelope: Object = {
                "topic": "shop",
                "partition": partition,
                "offset": offset,
                "timestamp_ms": millis,
                "key": key,
            }
            try:
                envelope["value"] = value.decode()
            except UnicodeDecodeError:
                envelope["value_base64"] = base64.b64encode(value).decode()
            lines.append(orjson.dumps(envelope, option=orjson.OPT_APPEND_NEWLINE))
            if len(lines) == _LINES_AT_ONCE:
                stream.writelines(lines)
                lines.clear()
        stream.writelines(lines)


def messages(format_name: str, shape: Shape, partition: int) -> Iterator[Message]:
    """Yield the messages of one partition."""
    family = FAMILIES[format_name]
    chance = random.Random(f"{shape.seed}-{partition}")
    log = ChangeLog(shape, chance, family.image, partition)
    recent: list[Message] = []
    waiting: list[Message] = []
    for number in range(partition, shape.messages, PARTITIONS):
        draw = chance.random()
        if draw < BAD_SHARE:
            yield _bad_message(family, log.stray(shape.keys + number), chance)
        elif draw < BAD_SHARE + HEARTBEAT_SHARE and family.heartbeat is not None:
            yield log.millis, None, orjson.dumps(family.heartbeat(log.millis))
        elif draw < BAD_SHARE + HEARTBEAT_SHARE + DUPLICATE_SHARE and recent:
            yield chance.choice(recent)
        else:
            waiting = waiting or _messages(family, log.next_change())
            message = waiting.pop(0)
            if len(recent) < RECENT_MESSAGES // PARTITIONS:
                recent.append(message)
            else:
                recent[chance.randrange(len(recent))] = message
            yield message


def describe(format_name: str, shape: Shape) -> str:
    """Describe the generated messages in one line."""
    return (
        f"{shape.messages:,} messages of {format_name}, {shape.keys:,} keys in {shape.tables} tables, seed {shape.seed}"
    )


def _messages(family: Family, change: Change) -> list[Message]:
    key = None if family.record_key is None else family.record_key(change)
    values = family.message(change)
    return [
        (change.millis + 500, key, value if isinstance(value, bytes) else orjson.dumps(value))
        for value in (values if isinstance(values, list) else [values])
    ]


def _bad_message(family: Family, stray: Change, chance: random.Random) -> Message:
    """Damage an extra message: truncate it, empty it, alter its operation or one of its bytes."""
    [(millis, key, value)] = _messages(family, stray)
    damage = chance.randrange(4)
    if damage == 0:
        return millis, key, value[: len(value) // 2]
    if damage == 1:
        return millis, key, b""
    if damage == 2 and not family.insert:
        return millis, key, value[:-1] + bytes([value[-1] ^ 1])
    if damage == 2:
        return millis, key, value.replace(family.insert, family.insert[:-1] + b'?"')
    return millis, key, value.replace(b"t", b"\xff", 1)


def split(files: list[Path], folder: Path, increment: int, count: int) -> list[list[Path]]:
    """Split off the last messages of each partition as increments."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    share = increment // len(files)
    parts: list[list[Path]] = [[] for _ in range(count + 1)]
    for file in files:
        with file.open("rb") as lines:
            size = sum(1 for _ in lines)
        ends = [size - share * left for left in range(count, -1, -1)]
        with file.open("rb") as lines:
            for number, (part, start, end) in enumerate(zip(parts, [0, *ends], ends, strict=False)):
                part.append(folder / f"{number}-{file.name}")
                with part[-1].open("wb") as target:
                    target.writelines(islice(lines, end - start))
    return parts
