"""Landing with failures: exactly once in any case, and a sentence with the cause."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from deltalake import DeltaTable
from landed import LAND, ONE, land, messages, version

from watershed.cli import main
from watershed.home import Home
from watershed.landing import tables as landing
from watershed.landing.tables import ensure_landing_tables
from watershed.lock import waiting_lock


def data_files(home: Home) -> set[str]:
    return {path.name for path in home.messages.parent.rglob("*") if path.is_file() and "_delta_log" not in path.parts}


def known_files(home: Home) -> set[str]:
    return {Path(uri).name for table in (home.messages, home.files) for uri in DeltaTable(table).file_uris()}


@pytest.mark.parametrize("moment", ["before_messages", "inside_messages"])
def test_a_process_killed_between_the_commits_lands_its_file_later_exactly_once(
    project: Path, home: Home, moment: str
) -> None:
    (project / "a.jsonl").write_text(ONE)
    killed = f"""
import os, sys
from watershed.landing import tables as landing
from watershed.cli import main
def die(*_, **__): os.kill(os.getpid(), 9)
landing.{"_commit_messages" if moment == "before_messages" else "read_messages"} = die
main(sys.argv[1:])
"""
    done = subprocess.run([sys.executable, "-c", killed, "land", "--source", "shop", "a.jsonl"], check=False)
    assert done.returncode == -9
    assert len(DeltaTable(home.files).file_uris()) == 1
    assert messages(home) == []
    for _ in range(2):
        assert land("--source", "shop", "a.jsonl") == 0
    assert len(messages(home)) == 1


def test_a_file_that_changes_meanwhile_does_not_land(
    project: Path, home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "a.jsonl"
    commit = landing._commit_files
    for later in (ONE + ONE, ONE.replace("k", "j"), "no envelope\n", ""):
        file.write_text(ONE)

        def change_it(*arguments: Any, later: str = later) -> None:  # noqa: ANN401
            file.write_text(later)
            commit(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(landing, "_commit_files", change_it)
            assert land("--source", "shop", "a.jsonl") == 2
        assert "a.jsonl changed while it was being landed" in capsys.readouterr().err
    assert messages(home) == []


def test_processes_that_land_at_once_all_land(project: Path, home: Home) -> None:
    processes = []
    for number in range(4):
        (project / f"{number}.jsonl").write_text(ONE.replace("7", str(number)))
        command = [sys.executable, "-c", LAND, "land", "--source", "shop", f"{number}.jsonl"]
        processes.append(subprocess.Popen(command))
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    rows = messages(home)
    assert sorted(row["offset"] for row in rows) == [0, 1, 2, 3]
    assert len({row["landed_at"] for row in rows}) == len({row["batch_id"] for row in rows}) == 4
    assert version(home) == 4


def test_waiting_for_the_lock_names_the_holder(project: Path, home: Home) -> None:
    (project / "a.jsonl").write_text(ONE)
    holder = """
import sys, time
from pathlib import Path
from watershed.lock import waiting_lock
with waiting_lock(Path(sys.argv[1]), print):
    print("held", flush=True)
    time.sleep(4)
"""
    command = [sys.executable, "-c", holder, str(home.landing_lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        land_command = [sys.executable, "-c", LAND, "land", "--source", "shop", "a.jsonl"]
        done = subprocess.run(land_command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert f"Waiting for process {other.pid}, which holds {home.landing_lock}." in done.stderr
    assert len(messages(home)) == 1


@pytest.mark.parametrize("bytes_of_a_file", [0, 10, 200, 600, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 100_000])
def test_full_disk_is_reported_without_traceback(project: Path, home: Home, bytes_of_a_file: int) -> None:
    """Limits the size of files: the kernel then reports the same error as for a full disk, under another name."""
    value = os.urandom(300_000).hex()
    (project / "a.jsonl").write_text(ONE.replace('"v"', f'"{value}"'))
    limited = f"""
import resource, sys
from watershed.landing import land
from watershed.cli import main
import watershed.landing.delta_files, watershed.landing.tables
resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes_of_a_file}, {bytes_of_a_file}))
main(sys.argv[1:])
"""
    command = [sys.executable, "-c", limited, "land", "--source", "shop", "a.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert "File too large" in lines[0]
    assert len(lines) <= 2
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
    for _ in range(2):
        assert land("--source", "shop", "a.jsonl") == 0
    assert [row["value"].decode() for row in messages(home)] == [value]
    assert data_files(home) == known_files(home)


@pytest.mark.parametrize("moment", ["close", "added_to"])
def test_files_that_a_kill_left_behind_are_removed_by_the_next_call(project: Path, home: Home, moment: str) -> None:
    (project / "a.jsonl").write_text(ONE)
    killed = f"""
import os, sys
from watershed.landing import delta_files
from watershed.landing import tables as landing
from watershed.cli import main
commit = landing._commit_messages
def die(*_): os.kill(os.getpid(), 9)
def commit_messages(*arguments):
    delta_files._File.{moment} = die
    commit(*arguments)
landing._commit_messages = commit_messages
main(sys.argv[1:])
"""
    command = [sys.executable, "-c", killed, "land", "--source", "shop", "a.jsonl"]
    assert subprocess.run(command, check=False).returncode == -9
    assert len(data_files(home) - known_files(home)) == 2  # the file of the messages and the note
    assert land("--source", "shop", "a.jsonl") == 0
    assert data_files(home) == known_files(home)
    assert len(messages(home)) == 1


@pytest.mark.parametrize(
    "command", [("land", "--source", "shop", "a.jsonl"), ("schemas", "--source", "relay", "a.avsc")]
)
def test_who_waits_and_is_interrupted_leaves_the_files_of_the_one_that_lands(
    project: Path, home: Home, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    (project / "a.jsonl").write_text(ONE)
    (project / "a.avsc").write_text('{"type":"record","name":"R","fields":[]}')
    with (project / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("relay,databus_binary,\n")
    ensure_landing_tables(home)
    written = home.messages / "part-00000-of-another.snappy.parquet"
    written.write_bytes(b"PAR1")
    note = home.messages.parent / "unfinished.json"
    note.write_text(json.dumps([str(written)]))

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with waiting_lock(home.landing_lock, print):
        monkeypatch.setattr("watershed.lock.time.sleep", interrupt)
        with pytest.raises(SystemExit) as ended:
            main(list(command))
    assert ended.value.code == 130
    assert written.exists()
    assert note.exists()


def test_who_fails_while_it_lands_leaves_no_file_behind(
    project: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.jsonl").write_text(ONE)
    ensure_landing_tables(home)
    monkeypatch.setattr("watershed.landing.delta_files._File.added_to", refuse("here"))
    assert land("--source", "shop", "a.jsonl") == 2
    assert data_files(home) == set()


def test_a_note_whose_files_are_committed_removes_nothing(project: Path, home: Home) -> None:
    (project / "a.jsonl").write_text(ONE)
    land("--source", "shop", "a.jsonl")
    note = home.messages.parent / "unfinished.json"
    for content in (json.dumps([unquote(uri) for uri in DeltaTable(home.messages).file_uris()]), "", "[", "[]"):
        note.write_text(content)
        assert land("--source", "shop", "a.jsonl") == 0
        assert not note.exists()
        assert len(messages(home)) == 1


def refuse(name: str) -> Any:  # noqa: ANN401
    def raise_error(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", name)

    return raise_error


@pytest.mark.parametrize(
    ("owner", "function", "arguments"),
    [
        (Path, "iterdir", ["--tree", "tree"]),
        (Path, "is_dir", ["--tree", "tree"]),
        (Path, "is_file", ["--source", "shop", "a.jsonl"]),
        (Path, "open", ["--source", "shop", "a.jsonl"]),
        (Path, "stat", ["--source", "shop", "a.jsonl"]),
        (os, "open", ["--source", "shop", "a.jsonl"]),
    ],
)
def test_missing_permissions_are_reported_without_traceback(
    project: Path,
    home: Home,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,  # noqa: ANN401
    function: str,
    arguments: list[str],
) -> None:
    (project / "tree" / "shop").mkdir(parents=True)
    (project / "a.jsonl").write_text(ONE)
    ensure_landing_tables(home)
    with monkeypatch.context() as patched:
        patched.setattr(owner, function, refuse("here"))
        assert land(*arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("watershed land: ")
    assert "Permission denied" in error.splitlines()[0]
    assert "Traceback" not in error
    assert messages(home) == []


def test_a_home_without_rights_is_reported_in_a_sentence(
    project: Path, home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.jsonl").write_text(ONE)
    monkeypatch.setattr(landing.DeltaTable, "create", refuse("landing"))
    assert land("--source", "shop", "a.jsonl") == 2
    error = capsys.readouterr().err
    assert error.startswith(f"watershed land: The tables in {home.messages.parent} cannot be read or written: Perm")
