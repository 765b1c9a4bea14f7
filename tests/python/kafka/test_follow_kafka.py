"""`watershed follow` and `watershed maintain` with a real broker: Kafka messages become rows, exactly once."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from broker import TestBroker, running_broker
from conftest import WATERSHED, start_server
from dbt_project import DBT, EXCLUDED, Project, copy_project
from encoders.datahub import blob_log
from encoders.table import generated_table

pytestmark = pytest.mark.kafka
SECONDS = 300
HISTORY = generated_table("followed", steps=200)
BATCHES = 4


@dataclass
class Followed:
    """A project with a server, and a topic that a history is sent to bit by bit."""

    project: Project
    broker: TestBroker
    topic: str
    messages: list[bytes]
    sent: int = 0

    def send(self) -> int:
        """Send the next part of the history; return how many messages were sent in all."""
        until = min(len(self.messages), self.sent + -(-len(self.messages) // BATCHES))
        self.broker.send(self.topic, self.messages[self.sent : until])
        self.sent = until
        return self.sent

    def start(self, command: str, *options: str) -> subprocess.Popen[str]:
        """Start a command that reads the topic."""
        words = ["--source", "shop", "--bootstrap-servers", self.broker.servers, "--topic", self.topic]
        return subprocess.Popen(
            [WATERSHED, command, *words, "--driver-memory", "1g", *options], cwd=self.project.folder,
            env=self.project.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def count(self, relation: str) -> int:
        ((count,),) = self.project.server.query(f"select count(*) from {relation}")
        return int(count)


def wait_until(is_so: Callable[[], bool], running: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert running.poll() is None, running.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.5)


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    log = blob_log(HISTORY)
    messages = [json.loads(log.envelope(message))["value"].encode() for message in log.messages]
    with running_broker(tmp_path / "broker") as broker:
        server = start_server(tmp_path / "home")
        try:
            project = copy_project(tmp_path / "project", server, "followed")
            project.add_source("shop", "datahub_blob", {})
            broker.create("orders")
            project.dbt("seed")
            yield Followed(project, broker, "orders", messages)
        finally:
            server.stop()


def assert_each_message_once(followed: Followed) -> None:
    """All sent messages have landed, and the tables equal those of a single build."""
    offsets = followed.project.server.query("select offset from landing.messages order by offset")
    assert [offset for (offset,) in offsets] == list(range(followed.sent))
    at_once = Project(followed.project.folder, followed.project.server, "at_once")
    at_once.dbt("seed", run=1)
    at_once.dbt("run", "--exclude", *EXCLUDED, run=1)
    found = followed.project.published()
    assert found["current_rows"]
    assert found == at_once.published()


def test_kafka_messages_become_rows_round_after_round(followed: Followed) -> None:
    events = f"{followed.project.schema}.events"
    build = [DBT, "--quiet", "run", "--profiles-dir", "profiles", "--exclude", *EXCLUDED]
    followed.send()
    running = followed.start("follow", "--every", "3", "--", *build)
    # Its first round makes the tables.
    tables = f"show tables in {followed.project.schema} like 'row_history'"
    wait_until(lambda: bool(followed.project.server.query(tables)), running)
    while followed.sent < len(followed.messages):
        sent = followed.send()
        wait_until(lambda: followed.count(events) >= sent, running)  # noqa: B023
    running.send_signal(signal.SIGTERM)
    told, _ = running.communicate(timeout=SECONDS)
    assert running.returncode == 0, told
    assert "has failed" not in told, told
    assert told.count("watershed land-kafka: done") >= BATCHES
    assert any(line.startswith("shop") for line in told.splitlines()), told
    assert_each_message_once(followed)


def test_tables_are_maintained_alongside_a_stream_that_lands(followed: Followed) -> None:
    project = followed.project

    def maintain(*options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [WATERSHED, "maintain", *options], cwd=project.folder, env=project.env, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    running = followed.start("land-kafka", "--continuous", "1")
    while followed.sent < len(followed.messages):
        # Many small batches.
        for message in followed.messages[followed.sent :][: -(-len(followed.messages) // BATCHES)]:
            followed.broker.send(followed.topic, [message])
            followed.sent += 1
            time.sleep(0.1)
        beside_build = maintain()
        project.dbt("run", "--exclude", *EXCLUDED)
        for process in (beside_build, maintain("--keep-days", "1")):
            told, _ = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, told
            assert "Traceback" not in told, told
    sent = followed.sent
    wait_until(lambda: followed.count("landing.messages") >= sent, running)
    running.send_signal(signal.SIGTERM)
    told, _ = running.communicate(timeout=SECONDS)
    assert running.returncode == 0, told
    project.dbt("run", "--exclude", *EXCLUDED)
    assert_each_message_once(followed)
