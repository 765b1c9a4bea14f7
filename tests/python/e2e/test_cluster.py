"""A build on a cluster: executors in JVMs and folders of their own get the functions and the jars, and may die."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from cluster import ADDRESS, Cluster, running_cluster
from conftest import Server, start_server
from dbt_project import EXCLUDED, Project, copy_project
from delivery import write_batch
from encoders.datahub import blob_log
from encoders.table import Table, generated_table
from histories import fold

pytestmark = [pytest.mark.e2e, pytest.mark.cluster]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def server(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # Executors call the driver back; on this machine by no other address.
    with mock.patch.dict(os.environ, SPARK_LOCAL_IP=ADDRESS):
        running = start_server(tmp_path_factory.mktemp("home"), "--master", cluster.master)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def project(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Project:
    it = copy_project(tmp_path_factory.mktemp("project"), server, "on_a_cluster")
    it.add_source("far", "datahub_blob", {})
    it.dbt("seed")
    return it


def land(project: Project, folder: Path, table: Table) -> None:
    lines = [blob_log(table).envelope(message) for message in blob_log(table).messages]
    project.land("far", write_batch(folder, table.name, lines))


def test_an_executor_killed_in_a_build_costs_nothing(project: Project, cluster: Cluster, tmp_path: Path) -> None:
    first, second = generated_table("first", steps=300), generated_table("second", steps=300)
    land(project, tmp_path, first)
    project.dbt("run", "--exclude", *EXCLUDED)
    assert len(cluster.executors()) == len(cluster.workers)
    land(project, tmp_path, second)
    build = project.start("run", "--exclude", *EXCLUDED)
    assert build.stdout is not None
    while "START sql incremental model on_a_cluster.events" not in build.stdout.readline():
        assert build.poll() is None
    time.sleep(1)
    victim = cluster.executors()[0]
    victim.kill()
    said, _ = build.communicate()
    assert build.returncode == 0, said
    rows = project.server.query("select table_name, count(*) from on_a_cluster.current_rows group by table_name")
    assert dict(rows) == {table.name: len(fold(table.steps)) for table in (first, second)}
    landed = project.server.query("select count(*) from landing.messages")
    told = project.rows("source_outcomes where source_name = 'far'", "messages, duplicates, quarantined")
    assert told == [(*landed[0], 0, 0)]
