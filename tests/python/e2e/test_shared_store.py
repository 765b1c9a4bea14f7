"""Two servers on one cluster, bucket and metastore see the same tables and lose no work of each other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
import test_pipeline
from cluster import Cluster, running_cluster
from conftest import Server, start_server
from dbt_project import SAMPLE_SCHEMAS, Project, copy_project
from delivery import write_batch
from encoders.datahub import blob_log
from encoders.table import generated_table
from shared import Shared, running_shared

pytestmark = [pytest.mark.e2e, pytest.mark.cluster, pytest.mark.rare]

APPENDS = 6


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    with running_shared(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster"), cores=2) as running:
        yield running


@pytest.fixture(scope="module")
def servers(shared: Shared, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Start both at once, on an empty bucket and an empty database."""
    homes = [shared.home(tmp_path_factory.mktemp(f"home_{name}")) for name in "ab"]
    for home in homes:  # else the first has all cores
        (home / "conf" / "spark-defaults.conf").write_text("spark.cores.max 2\n")
    variables = shared.variables | cluster.variables
    with ThreadPoolExecutor() as pool:
        starting = [pool.submit(start_server, home, "--master", cluster.master, variables=variables) for home in homes]
    try:
        yield [one.result() for one in starting]
    finally:  # also the one that came up where the other did not
        for one in starting:
            if one.exception() is None:
                one.result().stop()


@pytest.fixture(scope="module")
def built(servers: list[Server], tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Land and build the samples on the first."""
    project = copy_project(tmp_path_factory.mktemp("project") / "project", servers[0], "samples", has_samples=True)
    for source in ("databus_binary", "databus_json"):
        project.store_schemas(source, *SAMPLE_SCHEMAS)
    project.land_samples()
    project.dbt("build", "--exclude-resource-type", "unit_test", "test")
    return project


def test_samples_become_the_expected_tables_on_a_cluster_and_another_server_sees_them(
    built: Project, servers: list[Server], cluster: Cluster
) -> None:
    assert len(cluster.executors()) == 4, "each server has one on each worker"
    test_pipeline.test_samples_become_the_expected_tables(built)
    assert replace(built, server=servers[1]).published() == built.published()


def test_what_both_servers_append_at_once_is_there(built: Project, servers: list[Server]) -> None:
    servers[0].query("create table samples.appended (number bigint) using delta")

    def append(server: Server, first: int) -> None:
        for number in range(first, first + APPENDS):
            server.query(f"insert into samples.appended values ({number})")

    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(append, servers[at % 2], at * APPENDS) for at in range(4)]:
            done.result()
    for server in servers:
        rows = server.query("select number from samples.appended order by number")
        assert [number for (number,) in rows] == list(range(4 * APPENDS))
        assert len(server.query("describe history samples.appended")) == 1 + 4 * APPENDS


def test_both_machines_land_at_once_and_builds_of_both_read_it_once(
    built: Project, servers: list[Server], tmp_path: Path
) -> None:
    projects = [replace(built, server=server) for server in servers]
    table = generated_table("far", steps=40)
    messages = [blob_log(table).envelope(message) for message in blob_log(table).messages]
    same, *others = [write_batch(tmp_path, f"far_{at}", messages[at::3]) for at in range(3)]
    [[before]] = servers[0].query("select count(*) from landing.messages")
    with ThreadPoolExecutor() as pool:
        landings = [(project, file) for project, other in zip(projects, others, strict=True) for file in (same, other)]
        land = ("land", "--source", "datahub_blob")
        for done in [pool.submit(project.command, *land, str(file)) for project, file in landings]:
            assert done.result().returncode == 0
    assert servers[1].query("select count(*) from landing.messages") == [(before + len(messages),)]
    tables = ("run", "--select", *test_pipeline.TABLES)
    builds = [project.start(*tables, run=9 + at) for at, project in enumerate(projects)]
    said = [build.communicate()[0] for build in builds]
    assert any(build.returncode == 0 for build in builds), said
    projects[1].dbt(*tables)
    [read] = servers[0].query("select sum(messages) from samples.source_outcomes")
    assert read == (before + len(messages),)
    assert projects[0].published() == projects[1].published()


def test_commands_know_the_bucket(built: Project) -> None:
    def run(*command: str) -> str:
        done = built.command(*command)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "s3a://lake/of_tests" in run("status")
    assert "source" in run("schemas", "--list")
    run("report", "--output", str(built.folder / "report.html"))
    assert "landing.messages" in run("maintain", "--dry-run")
    run("maintain")
    assert "Nothing new has landed." in built.land_samples()


def test_secrets_are_in_no_list_of_processes_and_in_no_log(
    built: Project, shared: Shared, cluster: Cluster, servers: list[Server], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            lines.append(" ".join(process.cmdline()))
    assert any("S3LogStore" in line for line in lines), "the servers' JVMs are seen"
    logs = [log for server in servers for log in (server.home / "logs").iterdir()]
    texts = [*lines, *(log.read_text(errors="replace") for log in logs)]
    assert not [text[:200] for text in texts for secret in shared.secrets if secret in text]
