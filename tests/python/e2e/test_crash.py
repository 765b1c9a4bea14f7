"""Repeated kills at random moments: nothing is lost or duplicated, and readers always find the tables."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from broker import TestBroker, running_broker
from conftest import SESSION, WATERSHED, start_server
from dbt_project import EXCLUDED, TABLES, Project, copy_project
from delivery import write_batch
from encoders.datahub import blob_log
from encoders.table import Table
from histories import HistoryProfile, draw

from watershed.server.client import NoServerError, QueryError, connect, run

pytestmark = [pytest.mark.e2e, pytest.mark.crash]
KILLS, SEED = int(os.environ.get("WATERSHED_KILLS", "3")), int(os.environ.get("WATERSHED_SEED", "1"))
# Alternating, so that a few kills cover the most different steps.
PLACES = ("server", "land-kafka", "dbt", "JVM of the server", "land")
FILED, STREAMED = "filed", "streamed"
SNAPSHOTS = tuple(f"snapshot_{source}__crashed" for source in (FILED, STREAMED))
# What a build writes once the views exist.
STORED = ("run", "--select", *TABLES, *SNAPSHOTS)
# The build that wrote a row differs: the tables without kills are built at once.
COLUMNS = "* except (append_number, changed_at)"
STEPS_PER_ROUND = 20
POLL_SECONDS = 0.5
# As far as a landing gets, from nothing to its end.
LONGEST = {"land": 1.5, "land-kafka": 16.0}


@dataclass
class Reader(threading.Thread):
    """Asks published tables how many rows they have, twice a second, whatever becomes of the server."""

    port: int
    tables: tuple[str, ...]
    polls: int = 0
    outages: int = 0
    wrong: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        """Query until stopped; record results that no reader should see."""
        counts: dict[str, int] = {}
        is_up = True
        while not self.ended.wait(POLL_SECONDS):
            try:
                with connect("127.0.0.1", self.port) as cursor:
                    is_up = True
                    # As dbt's sessions, otherwise the reader would take a core to compile its plans.
                    for name, value in SESSION.items():
                        run(cursor, f"{name.replace('set:hiveconf:', 'set ')} = {value}")
                    while not self.ended.wait(POLL_SECONDS):
                        table = self.tables[self.polls % len(self.tables)]
                        ((count,),) = run(cursor, f"select count(*) from {table}")[1]
                        self.polls += 1
                        # Changes are never taken back; rows may go, but some are always there.
                        least = counts.get(table, 1) if table.endswith("changelog") else 1
                        if count < least:
                            self.wrong.append(f"{table} has {count} rows, at least {least} before")
                        counts[table] = count
            except (NoServerError, QueryError) as error:
                # A JVM that exits after its server reports that its context is stopped.
                if isinstance(error, QueryError) and "SparkContext" not in str(error):
                    self.wrong.append(str(error))
                self.outages += is_up
                is_up = False


@dataclass
class Crashed:
    """A project, a broker and a server of its own, which are killed."""

    project: Project
    broker: TestBroker
    chance: random.Random
    batches: dict[str, list[list[str]]]
    folder: Path
    run_seconds: float = 0

    def land(self, number: int, place: str = "") -> bool:
        """Land a batch of both sources; kill one of the landings in the middle, and land again. Was it hit?"""
        self.broker.send("crashed", [json.loads(line)["value"].encode() for line in self.batches[STREAMED][number]])
        file = write_batch(self.folder, f"batch_{number}", self.batches[FILED][number])
        options = ["--bootstrap-servers", self.broker.servers, "--topic", "crashed", "--driver-memory", "1g"]
        hit = False
        for landing, words in {
            "land": ["--source", FILED, str(file)],
            "land-kafka": ["--source", STREAMED, *options],
        }.items():
            if landing == place:
                hit = self._is_killed(self._start(landing, *words), LONGEST[place])
            said, _ = (landed := self._start(landing, *words)).communicate()
            assert landed.returncode == 0, said
        return hit

    def build(self) -> None:
        """Run dbt to its end."""
        began = time.monotonic()
        self.project.dbt(*STORED)
        self.run_seconds = time.monotonic() - began

    def kill_build(self, place: str) -> bool:
        """Kill dbt or its server in the middle of a run; start the server again. Was it hit?"""
        server = self.project.server
        build = self.project.start(*STORED)
        victims = {"dbt": build.pid, "server": server.process.pid, "JVM of the server": server.jvm_pid}
        hit = self._is_killed(build, self.run_seconds, victims[place])
        if hit and place != "dbt":
            server.process.wait()
            self.project.server = start_server(server.home, "--port", str(server.port))
        return hit

    def _is_killed(self, process: subprocess.Popen[str], longest: float, victim: int | None = None) -> bool:
        try:
            process.wait(self.chance.uniform(0, longest))
        except subprocess.TimeoutExpired:
            os.kill(victim or process.pid, signal.SIGKILL)
            process.communicate()
            return True
        return False

    def _start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [WATERSHED, *words], cwd=self.project.folder, env=self.project.env, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip


def table_of(source: str) -> Table:
    """Return a made-up table whose rows never go all at once."""
    profile = HistoryProfile("crashed", steps=(2 * KILLS + 4) * STEPS_PER_ROUND, keys=30, truncates=0, partitions=1)
    return Table("crashed", 1, SEED, profile, draw(random.Random(f"{source} {SEED}"), profile))


def build_all(project: Project) -> None:
    """Build everything that is compared."""
    project.dbt("build", "--exclude-resource-type", "test", "unit_test", "--exclude", *EXCLUDED)


@pytest.fixture
def crashed(tmp_path: Path) -> Iterator[Crashed]:
    """Build the first batch of a source of files and of one of Kafka, with a typed snapshot of each."""
    batches = {}
    for source in (FILED, STREAMED):
        log = blob_log(table_of(source))
        lines, size = [log.envelope(message) for message in log.messages], len(log.messages) // (2 * KILLS + 3) + 1
        # The first is larger: it leaves rows, whatever the seed, so that no snapshot begins empty.
        first, *others = range(2 * size, len(lines), size)
        batches[source] = [lines[: first + size], *(lines[start : start + size] for start in others)]
    with running_broker(tmp_path / "broker") as broker:
        server = start_server(tmp_path / "home")
        it = Crashed(
            copy_project(tmp_path / "project", server, "crashed"), broker, random.Random(SEED), batches, tmp_path
        )
        try:
            for source in batches:
                it.project.add_source(source, "datahub_blob", {})
                columns = [{"name": name, "type": "string"} for name in ("id", "name", "version")]
                model = it.project.folder / "models" / "typed_snapshots" / f"snapshot_{source}__crashed.sql"
                model.write_text(f"{{{{ typed_snapshot('{source}', 'crashed', columns={columns}) }}}}\n")
            broker.create("crashed")
            it.land(0)
            build_all(it.project)
            # Measures how long a build takes.
            it.build()
            yield it
        finally:
            it.project.server.stop()


def test_kills_lose_nothing_and_readers_miss_nothing(crashed: Crashed) -> None:
    project = crashed.project
    tables = [f"{project.schema}.{name}" for name in ("changelog", "current_rows", "row_history", *SNAPSHOTS)]
    reader = Reader(project.server.port, tuple(tables))
    reader.start()
    kills: Counter[str] = Counter()
    number = 0
    while kills.total() < KILLS:
        number += 1
        assert number < len(crashed.batches[FILED]), f"too few kills hit: {kills}"
        place = min(PLACES, key=lambda one: kills[one])
        hit = crashed.land(number, place)
        if place in LONGEST:
            crashed.build()
        else:
            hit = crashed.kill_build(place)
        kills[place] += hit
    crashed.build()
    reader.ended.set()
    reader.join()
    calm = replace(project, schema="calm")
    build_all(calm)

    landed = dict(project.server.query("select source_name, count(*) from landing.messages group by source_name"))
    sent = {source: sum(map(len, batches[: number + 1])) for source, batches in crashed.batches.items()}
    told = {"seed": SEED, "kills": kills, "messages": sent, "polls": reader.polls, "outages": reader.outages}
    print(json.dumps(told))
    assert landed == sent
    assert reader.wrong == []
    assert reader.polls > 0
    assert project.published() == calm.published()
    for name in SNAPSHOTS:
        assert project.rows(name, COLUMNS) == calm.rows(name, COLUMNS)
