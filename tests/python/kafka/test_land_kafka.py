"""`watershed land-kafka` against a real broker: each message once, whatever happens to the topics and the command."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest
from broker import TestBroker, running_broker
from deltalake import DeltaTable

from watershed.home import Home

pytestmark = pytest.mark.kafka
SECONDS = 120


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestBroker]:
    with running_broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


def command(broker: TestBroker, *options: str, source: str = "shop") -> list[str]:
    named = [] if "--feeds" in options else ["--source", source, "--bootstrap-servers", broker.servers]
    return [sys.executable, "-m", "watershed.cli", "land-kafka", *named, "--driver-memory", "1g", *options]


def land(broker: TestBroker, *options: str, status: int = 0, **environment: str) -> str:
    """Run the command; return its output."""
    done = subprocess.run(
        command(broker, *options), capture_output=True, text=True, timeout=SECONDS, env=os.environ | environment,
        check=False,
    )  # fmt: skip
    told = done.stdout + done.stderr
    assert done.returncode == status, told
    assert "Traceback" not in told, told
    return told


def landed(
    home: Home, columns: tuple[str, ...] = ("topic", "partition", "offset", "value")
) -> list[tuple[object, ...]]:
    """Return rows of landing.messages, sorted."""
    from urllib.parse import unquote

    rows: list[tuple[object, ...]] = []
    for uri in DeltaTable(home.messages).file_uris():
        table = pq.ParquetFile(unquote(uri)).read(columns=list(columns))
        rows += zip(*(table[name].to_pylist() for name in columns), strict=True)
    return sorted(rows, key=repr)


def values(home: Home) -> list[object]:
    return sorted((row[0] for row in landed(home, ("value",))), key=repr)


@pytest.mark.proof
def test_each_message_lands_once_with_its_coordinates(broker: TestBroker, home: Home) -> None:
    broker.create("plain", partitions=2)
    broker.send("plain", [b"a", None], key=b"k")
    broker.send("plain", [b"b"], partition=1)
    told = land(broker, "--topic", "plain")
    assert "Landed 3 messages from Kafka" in told
    rows = landed(home, ("source_name", "format", "topic", "partition", "offset", "key", "value"))
    assert rows == [
        ("shop", "datahub_blob", "plain", 0, 0, b"k", b"a"),
        ("shop", "datahub_blob", "plain", 0, 1, b"k", None),
        ("shop", "datahub_blob", "plain", 1, 0, None, b"b"),
    ]
    (sent_at, landed_at) = landed(home, ("sent_at", "landed_at"))[0]
    assert 0 <= (landed_at - sent_at).total_seconds() < SECONDS
    # Nothing is new; then a partition is, and messages of both.
    assert "Landed 0 messages" in land(broker, "--topic", "plain")
    broker.widen("plain", 3)
    broker.send("plain", [b"c"])
    broker.send("plain", [b"d"], partition=2)
    told = land(broker, "--topic", "plain")
    assert [line.split() for line in told.splitlines() if line.startswith("shop")] == [
        ["shop", "plain", "0", "3", "0"],
        ["shop", "plain", "1", "1", "0"],
        ["shop", "plain", "2", "1", "0"],
    ]
    assert len(landed(home)) == 5


def test_transactions_gaps_and_large_messages(broker: TestBroker, home: Home) -> None:
    broker.create("mixed", **{"max.message.bytes": "41943040"})
    broker.send_in_transaction("mixed", [b"never"], commits=False)
    broker.send_in_transaction("mixed", [b"yes"], commits=True)
    large = random.Random(1).randbytes(20_000_000)
    broker.send("mixed", [large, b"behind"])
    broker.send_in_transaction("mixed", [b"never at the end"], commits=False)
    told = land(broker, "--topic", "mixed")
    assert values(home) == sorted([b"yes", large, b"behind"], key=repr)
    assert told.splitlines()[-1].split()[-1] == "0", told
    # A compacted topic has gaps.
    broker.create("compacted")
    for number in range(50):
        broker.send("compacted", [b"old %d" % number], key=b"same")
    broker.compact("compacted", 50)
    for number in range(5):
        time.sleep(0.3)
        broker.send("compacted", [b"new %d" % number], key=b"same")
    time.sleep(5)
    land(broker, "--topic", "mixed", "--topic", "compacted")
    found = [row for row in landed(home) if row[0] == "compacted"]
    assert found[-1][3] == b"new 4"
    assert len({row[2] for row in found}) == len(found)


def test_messages_removed_before_they_were_read_are_reported(broker: TestBroker, home: Home) -> None:
    broker.create("short")
    broker.send("short", [b"0", b"1"])
    land(broker, "--topic", "short")
    broker.send("short", [b"2", b"3", b"4"])
    broker.remove_before("short", 4)
    told = land(broker, "--topic", "short", status=2)
    assert "removed up to 2 messages before they were read: short-0: 2 to 3" in told
    assert len(landed(home)) == 2
    land(broker, "--topic", "short", "--accept-loss")
    assert values(home) == [b"0", b"1", b"4"]


def test_a_recreated_topic_lands_under_a_name_of_its_own(broker: TestBroker, home: Home) -> None:
    broker.create("again")
    broker.send("again", [b"0", b"1", b"2"])
    land(broker, "--topic", "again")
    broker.delete("again")
    broker.create("again")
    # More messages than before: only the topic's id differs.
    broker.send("again", [b"new 0", b"new 1", b"new 2", b"new 3"])
    told = land(broker, "--topic", "again", status=2)
    assert "'again' was deleted and recreated: 'again': landed up to 3 in 0, on the broker up to 4 in 0" in told
    assert len(landed(home)) == 3
    land(broker, "--topic", "again", "--new-epoch")
    assert [row[:3] for row in landed(home)] == [("again", 0, number) for number in range(3)] + [
        ("again@0002", 0, number) for number in range(4)
    ]
    broker.send("again", [b"new 4"])
    land(broker, "--topic", "again")
    assert landed(home)[-1] == ("again@0002", 0, 4, b"new 4")


def test_a_new_source_starts_as_configured(broker: TestBroker, home: Home) -> None:
    broker.create("late")
    broker.send("late", [b"before"])
    # Nothing arrived since: messages before the next run are landed anyway.
    assert "Landed 0 messages" in land(broker, "--topic", "late", "--start", "latest")
    broker.send("late", [b"after"])
    land(broker, "--topic", "late")
    assert values(home) == [b"after"]


def test_topics_may_leave_and_come_back(broker: TestBroker, home: Home) -> None:
    for topic in ("stays", "leaves"):
        broker.create(topic)
        broker.send(topic, [b"first"])
    land(broker, "--topic", "stays", "--topic", "leaves")
    broker.send("leaves", [b"meanwhile"])
    assert "Landed 0 messages" in land(broker, "--topic", "stays")
    land(broker, "--topic", "stays", "--topic", "leaves")
    expected = [("leaves", 0, 0, b"first"), ("leaves", 0, 1, b"meanwhile"), ("stays", 0, 0, b"first")]
    assert landed(home) == expected
    broker.delete("leaves")
    broker.send("stays", [b"second"])
    told = land(broker, "--topic", "stays", "--topic", "leaves", status=2)
    assert "expected topic 'leaves' on the broker, found no such topic" in told
    assert landed(home) == expected
    land(broker, "--topic-pattern", "stays|leaves", "--accept-loss")
    assert landed(home) == [*expected, ("stays", 0, 1, b"second")]


def test_several_sources_and_a_pattern_in_one_call(broker: TestBroker, project: Path, home: Home) -> None:
    for topic in ("many.one", "many.two", "other"):
        broker.create(topic)
        broker.send(topic, [topic.encode()])
    feeds = project / "feeds.csv"
    feeds.write_text(
        "source_name,bootstrap_servers,topics,topic_pattern\n"
        f"shop,{broker.servers},,many\\..*\nbank,{broker.servers},other,\nother_shop,{broker.servers},absent,\n"
    )
    told = land(broker, "--feeds", str(feeds), status=2)
    assert "Source 'other_shop': no topic 'absent'" in told
    expected = [("bank", b"other"), ("shop", b"many.one"), ("shop", b"many.two")]
    assert landed(home, ("source_name", "value")) == expected
    broker.create("many.three")
    broker.send("many.three", [b"many.three"])
    told = land(broker, "--feeds", str(feeds), status=2)
    assert landed(home, ("source_name", "value")) == sorted([*expected, ("shop", b"many.three")])


def test_kills_cost_no_message_and_make_no_copy(broker: TestBroker, project: Path, home: Home) -> None:
    """A stream killed repeatedly, at any moment or while it lands; files land at the same time, also after the kill."""
    seed, kills = int(os.environ.get("WATERSHED_SEED", "1")), int(os.environ.get("WATERSHED_KILLS", "2"))
    chance = random.Random(seed)
    broker.create("killed", partitions=3)
    sent, places = 0, {"before it lands": 0, "while it lands": 0}
    for number in range(kills):
        running = subprocess.Popen(
            command(broker, "--topic", "killed", "--continuous", "1"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        before = version(home)
        lands = number % 4 != 3
        until = time.monotonic() + (SECONDS if lands else chance.uniform(0, 10))
        while time.monotonic() < until:
            broker.send("killed", [b"%d" % value for value in range(sent, sent + 50)], partition=chance.randrange(3))
            sent += 50
            if lands and version(home) > before:
                lands, until = False, time.monotonic() + chance.uniform(0, 3)
        places["while it lands" if version(home) > before else "before it lands"] += 1
        running.send_signal(signal.SIGKILL)
        running.wait()
        # Its JVM may be in the middle of a commit.
        file = project / f"{number}.txt"
        file.write_text(f'{{"id":{number}}}\n')
        done = [sys.executable, "-m", "watershed.cli", "land", "--source", "other_shop", "--as", "lines", str(file)]
        subprocess.run(done, check=True, stdout=subprocess.DEVNULL)
    told = land(broker, "--topic", "killed")
    found = [row for row in landed(home) if row[0] == "killed"]
    batches = {row[0] for row in landed(home, ("batch_id",))}
    print(json.dumps({"seed": seed, "kills": places, "messages": sent, "batches": len(batches)}))
    assert sorted(int(str(row[3], "ascii")) for row in found) == list(range(sent)), told
    assert len({row[:3] for row in found}) == sent
    assert len(landed(home)) == sent + kills
    assert not any(home.kafka.glob("*.tmp"))


def version(home: Home) -> int:
    """Return how many batches have landed."""
    return DeltaTable(home.messages).version() if DeltaTable.is_deltatable(str(home.messages)) else 0


def test_a_continuous_stream_ends_between_two_batches(broker: TestBroker, home: Home) -> None:
    broker.create("running")
    running = subprocess.Popen(
        command(broker, "--topic", "running", "--continuous", "1"), stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + SECONDS
    broker.send("running", [b"a"])
    while not (home.messages.exists() and landed(home)) and time.monotonic() < deadline:
        time.sleep(0.2)
    broker.send("running", [b"b"])
    while len(landed(home)) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    second = subprocess.run(command(broker, "--topic", "running"), capture_output=True, text=True, check=False)
    assert second.returncode == 2
    assert f"Source 'shop' is being landed by process {running.pid}" in second.stderr
    running.send_signal(signal.SIGTERM)
    out, _ = running.communicate(timeout=30)
    assert running.returncode == 0
    assert "Landed 2 messages from Kafka" in out
    assert values(home) == [b"a", b"b"]


def test_a_stream_that_fails_is_reported_at_once_and_others_go_on(
    broker: TestBroker, project: Path, home: Home
) -> None:
    for topic in ("lives", "doomed"):
        broker.create(topic)
        broker.send(topic, [b"first"])
    feeds = project / "feeds.csv"
    feeds.write_text(
        "source_name,bootstrap_servers,topics,topic_pattern\n"
        f"shop,{broker.servers},lives,\nbank,{broker.servers},doomed,\n"
    )
    running = subprocess.Popen(
        command(broker, "--feeds", str(feeds), "--continuous", "1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    guard = threading.Timer(2 * SECONDS, running.kill)
    guard.start()
    while version(home) < 2:
        assert running.poll() is None
        time.sleep(0.2)
    broker.delete("doomed")
    assert running.stderr is not None
    while "bank: failed and stopped" not in (line := running.stderr.readline()):
        assert line
    broker.send("lives", [b"second"])
    while len(landed(home)) < 3:
        assert running.poll() is None
        time.sleep(0.2)
    running.send_signal(signal.SIGTERM)
    _, error = running.communicate()
    guard.cancel()
    assert running.returncode == 2
    assert "Source 'bank': expected topic 'doomed' on the broker, found no such topic" in error
    assert landed(home, ("source_name", "value")) == [("bank", b"first"), ("shop", b"first"), ("shop", b"second")]


@contextlib.contextmanager
def frozen(running: subprocess.Popen[str]) -> Iterator[None]:
    """Stop a command and its JVM meanwhile, as a machine that sleeps or has no time for them."""
    processes = [psutil.Process(running.pid), *psutil.Process(running.pid).children(recursive=True)]
    for process in processes:
        process.suspend()
    yield
    for process in processes:
        process.resume()


@pytest.mark.parametrize(
    ("is_made_again", "told", "way", "lands"),
    [
        pytest.param(
            *(False, "removed up to 2 messages before they were read: passing-0: 2 to 3", "--accept-loss"),
            [("passing", 0, 0, b"0"), ("passing", 0, 1, b"1"), ("passing", 0, 4, b"4")],
            id="retention",
        ),
        pytest.param(
            *(True, "'passing' was deleted and recreated", "--new-epoch"),
            [("passing", 0, 0, b"0"), ("passing", 0, 1, b"1")]
            + [("passing@0002", 0, number, b"%d" % number) for number in range(5)],
            id="made again, with more messages than before",
        ),
    ],
)
def test_messages_that_a_running_stream_would_skip_stop_it(
    broker: TestBroker, home: Home, is_made_again: bool, told: str, way: str, lands: list[tuple[object, ...]]
) -> None:
    broker.create("passing")
    broker.send("passing", [b"0", b"1"])
    running = subprocess.Popen(
        command(broker, "--topic", "passing", "--continuous", "1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    guard = threading.Timer(SECONDS, running.kill)
    guard.start()
    while not version(home):
        assert running.poll() is None
        time.sleep(0.2)
    # The first batch has ended, and the next one waits for messages.
    time.sleep(3)
    with frozen(running):
        if is_made_again:
            broker.delete("passing")
            broker.create("passing")
            broker.send("passing", [b"%d" % number for number in range(5)])
        else:
            broker.send("passing", [b"2", b"3", b"4"])
            broker.remove_before("passing", 4)
    said, _ = running.communicate()
    guard.cancel()
    assert running.returncode == 2, said
    assert told in said
    assert [row[3] for row in landed(home)] == [b"0", b"1"]
    # Nor does another run skip it, unless requested.
    assert told in land(broker, "--topic", "passing", status=2)
    land(broker, "--topic", "passing", way)
    assert landed(home) == lands
    broker.delete("passing")


def test_a_recreated_topic_of_a_pattern_ends_the_stream(broker: TestBroker, home: Home) -> None:
    given = ("--topic-pattern", "grown-[0-9]")
    broker.create("grown-1")
    broker.send("grown-1", [b"0"])
    running = subprocess.Popen(
        command(broker, *given, "--continuous", "1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    guard = threading.Timer(2 * SECONDS, running.kill)
    guard.start()

    def wait_for(messages: int) -> None:
        while not (version(home) and len(landed(home)) == messages):
            assert running.poll() is None
            time.sleep(0.2)

    wait_for(1)
    broker.create("grown-2")
    broker.send("grown-2", [b"1", b"2"])
    wait_for(3)
    # The batch has ended, and the next one waits for messages.
    time.sleep(3)
    with frozen(running):
        broker.delete("grown-2")
        broker.create("grown-2")
        broker.send("grown-2", [b"%d" % number for number in range(3, 8)])
    said, _ = running.communicate()
    guard.cancel()
    assert running.returncode == 2, said
    assert "'grown-2' was deleted and recreated" in said
    assert values(home) == [b"0", b"1", b"2"]
    land(broker, *given, "--new-epoch")
    assert values(home) == [b"%d" % number for number in range(8)]
    for topic in ("grown-1", "grown-2"):
        broker.delete(topic)
