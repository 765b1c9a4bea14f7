"""A disk that is full in the middle: a clear error, nothing lost, and it goes on when there is room."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Server, start_server
from dbt_project import EXCLUDED, TABLES, copy_project
from delivery import write_batch
from encoders.datahub import blob_log
from encoders.table import generated_table

pytestmark = pytest.mark.e2e
HISTORY = generated_table("full", steps=200)
BATCHES = 3
SIZE = 300 << 20
LEFT = 512 << 10
NO_ROOM = "No space left on device"


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small disk of its own, in memory."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    folder = tmp_path_factory.mktemp("disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture(scope="module")
def server(disk: Path) -> Iterator[Server]:
    running = start_server(disk / "home")
    yield running
    running.stop()


def fill(disk: Path, left: int) -> Path:
    """Leave no more than so many bytes on the disk."""
    filler = disk / f"filler_{left}"
    with filler.open("wb") as stream:
        size = shutil.disk_usage(disk).free - left
        if size > 0:
            os.posix_fallocate(stream.fileno(), 0, size)
    return filler


def test_a_build_on_a_full_disk_fails_and_the_next_goes_on(server: Server, disk: Path, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "on_a_full_disk")
    project.add_source("full", "datahub_blob", {})
    first, second, third = blob_log(HISTORY).deliver(HISTORY.chance("delivery"), copies=2, batches=BATCHES)
    project.land("full", write_batch(tmp_path, "first", first))
    project.dbt("build", "--exclude-resource-type", "test", "unit_test", "--exclude", *EXCLUDED)
    changes = project.rows("changelog", "change_id")
    project.land("full", write_batch(tmp_path, "second", second))
    last = ("land", "--source", "full", str(write_batch(tmp_path, "third", third)))

    # Room for the beginning of a commit; then for nothing at all.
    fillers = [fill(disk, LEFT)]
    build = project.start("run", "--select", *TABLES)
    said, _ = build.communicate()
    assert build.returncode != 0
    assert NO_ROOM in said, said[-5000:]
    fillers.append(fill(disk, 0))
    refused = project.command(*last)
    assert refused.returncode == 2
    assert NO_ROOM in refused.stderr.splitlines()[0]
    assert len(refused.stderr.splitlines()) <= 2

    for filler in fillers:
        filler.unlink()
    assert {*project.rows("changelog", "change_id")} >= {*changes}, "what was published is still there"
    assert project.command(*last).returncode == 0
    project.dbt("run", "--select", *TABLES)
    calm = replace(project, schema="with_room")
    calm.dbt("build", "--exclude-resource-type", "test", "unit_test", "--exclude", *EXCLUDED)
    assert project.published() == calm.published()
    assert len(project.rows("changelog", "change_id")) > len(changes)
