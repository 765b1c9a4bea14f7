"""`watershed follow`: rounds of commands that never overlap, whatever fails or is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from watershed.home import Home
from watershed.lock import Lock

SECONDS = 30
# Notes when it begins and ends; `{wait}` is how long it takes.
STEP = """
import sys, time
from pathlib import Path
notes = Path("steps.txt")
with notes.open("a") as file: file.write("begin\\n")
time.sleep(float(sys.argv[1]))
with notes.open("a") as file: file.write("end\\n")
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")


def followed(*options: str, seconds: float = 0, status: int = 0) -> subprocess.Popen[str]:
    """Start to follow with a build that takes so long and ends so."""
    build = [sys.executable, "-c", STEP, str(seconds), str(status)]
    return subprocess.Popen(
        [sys.executable, "-m", "watershed.cli", "follow", *options, "--", *build],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def steps(project: Path) -> list[str]:
    notes = project / "steps.txt"
    return notes.read_text().split() if notes.exists() else []


def wait_for_steps(project: Path, count: int) -> None:
    deadline = time.monotonic() + SECONDS
    while len(steps(project)) < count:
        assert time.monotonic() < deadline, steps(project)
        time.sleep(0.02)


def test_rounds_follow_one_another_and_a_failure_is_tried_again(project: Path) -> None:
    running = followed("--every", "1", seconds=1.5, status=3)
    wait_for_steps(project, 5)
    running.send_signal(signal.SIGTERM)
    out, error = running.communicate(timeout=SECONDS)
    assert running.returncode == 0, error
    assert "Stopping after this step" in error
    # The third is done, and rounds do not overlap.
    assert steps(project) == ["begin", "end"] * 3
    assert out.count("failed with 3; the next round tries again") == 3
    assert out.count("last landed (UTC)") == 3
    assert "bank" in out


def test_a_configuration_that_cannot_be_read_ends_nothing(project: Path) -> None:
    (project / "seeds" / "cdc_sources.csv").write_text("nothing of it\n")
    running = followed("--every", "1")
    wait_for_steps(project, 3)
    running.send_signal(signal.SIGTERM)
    _, error = running.communicate(timeout=SECONDS)
    assert running.returncode == 0, error
    assert "The progress of the sources is not available: " in error
    assert "cdc_sources.csv" in error


def test_dbt_gets_the_port_of_the_server_of_the_home(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATERSHED_PORT")
    lock = Lock(Home(project / ".watershed").server_lock)
    assert lock.try_acquire()
    lock.describe(host="127.0.0.1", port=1)
    step = ["sh", "-c", 'echo "$WATERSHED_HOST $WATERSHED_PORT" > port.txt; echo done > steps.txt']
    running = subprocess.Popen([sys.executable, "-m", "watershed.cli", "follow", "--", *step])
    wait_for_steps(project, 1)
    running.send_signal(signal.SIGTERM)
    assert running.wait(SECONDS) == 0
    assert (project / "port.txt").read_text() == "127.0.0.1 1\n"


def test_between_two_rounds_it_ends_at_once(project: Path) -> None:
    running = followed("--every", "3600")
    wait_for_steps(project, 2)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    assert running.wait(SECONDS) == 0
    assert steps(project) == ["begin", "end"]


def test_a_second_signal_ends_the_step(project: Path) -> None:
    running = followed(seconds=SECONDS)
    wait_for_steps(project, 1)
    for number in range(2):
        time.sleep(0.3 * number)
        running.send_signal(signal.SIGTERM)
    assert running.wait(SECONDS / 2) == 0
    assert steps(project) == ["begin"]


def test_a_child_of_a_killed_follow_ends_before_another_follows(project: Path) -> None:
    running = followed(seconds=3)
    wait_for_steps(project, 1)
    running.kill()
    running.wait()
    _, error = followed().communicate(timeout=SECONDS)
    assert f"is being followed by process {running.pid}, or its child process still runs" in error
    wait_for_steps(project, 2)
    lock = Lock(Home(project / ".watershed").root / "follow.lock")
    deadline = time.monotonic() + SECONDS
    while not lock.try_acquire():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    lock.release()


def test_wrong_feeds_are_reported_before_the_first_round(project: Path) -> None:
    running = followed("--source", "shop", "--topic", "orders")
    out, error = running.communicate(timeout=SECONDS)
    assert (running.returncode, out) == (2, "")
    assert "no bootstrap servers" in error


def test_options_of_reading_go_to_the_landing(project: Path) -> None:
    options = ("--source", "shop", "--bootstrap-servers", "127.0.0.1:1", "--topic", "a b", "--start", "nonsense")
    running = followed(*options)
    wait_for_steps(project, 2)
    running.send_signal(signal.SIGTERM)
    out, error = running.communicate(timeout=SECONDS)
    # The landing fails, and the build comes all the same.
    assert "--start nonsense: expected earliest, latest or a time." in error
    assert "watershed land-kafka: failed with 2" in out
