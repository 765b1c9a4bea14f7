"""Builds on a cluster, Spark's and YARN: executors in folders of their own get functions and jars, and may die."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import test_pipeline
from cluster import Cluster, running_cluster, running_yarn
from conftest import Server, start_server
from dbt_project import EXCLUDED, SAMPLE_SCHEMAS, TABLES, Project, copy_project
from delivery import write_batch
from encoders.datahub import blob_log
from encoders.table import Table, generated_table
from histories import fold
from pods import running_api
from ports import ADDRESS

pytestmark = [pytest.mark.e2e, pytest.mark.cluster]


YARN = pytest.param(running_yarn, id="yarn", marks=pytest.mark.rare)


@pytest.fixture(scope="module", params=[pytest.param(running_cluster, id="standalone"), YARN])
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with request.param(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def server(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("home")
    (home / "conf").mkdir()
    (home / "conf" / "spark-defaults.conf").write_text(
        "".join(f"{name} {value}\n" for name, value in cluster.defaults.items())
    )
    running = start_server(home, "--master", cluster.master, variables=cluster.variables)
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
    build = project.start("run", "--select", *TABLES)
    assert build.stdout is not None
    while "START sql incremental_table model on_a_cluster.events" not in build.stdout.readline():
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


# On Spark's own cluster test_shared_store.py builds them.
@pytest.mark.parametrize("cluster", [YARN], indirect=True)
def test_samples_become_the_expected_tables_on_yarn(
    cluster: Cluster, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    samples = copy_project(tmp_path_factory.mktemp("samples") / "project", server, "samples", has_samples=True)
    for source in ("databus_binary", "databus_json"):
        samples.store_schemas(source, *SAMPLE_SCHEMAS)
    samples.land_samples()
    samples.dbt("build", "--exclude-resource-type", "unit_test", "test")
    test_pipeline.test_samples_become_the_expected_tables(samples)
    assert len(cluster.executors()) == len(cluster.workers)


# A made-up API: it shows that what Spark asks for and what scripts/executor.sh does fit, not that a cluster has it.
@pytest.mark.rare
def test_executors_in_pods_know_the_functions_and_no_password(tmp_path: Path) -> None:
    conf = tmp_path / "home" / "conf"
    conf.mkdir(parents=True)
    (conf / "hive-site.xml").write_text(
        "<configuration><property><name>of.a.test</name><value>not-for-all</value></property></configuration>"
    )
    (conf / "spark-defaults.conf").write_text(
        "spark.kubernetes.container.image made-up\n"
        "spark.executor.instances 2\n"
        "spark.kubernetes.executor.enableApiWatcher false\n"
        "spark.kubernetes.executor.apiPollingInterval 1s\n"
    )
    with running_api(tmp_path / "pods") as (address, pods):
        server = start_server(tmp_path / "home", "--master", f"k8s://{address}", variables={"SPARK_LOCAL_IP": ADDRESS})
        try:
            read = """read_columns(concat('{"a":', id, '}'))['a']"""
            assert server.query(f"select sum(cast({read} as int)) from range(0, 1000, 1, 4)") == [(499_500,)]
            assert len(pods.running) == 2
        finally:
            assert server.stop() == 0
        assert not pods.running, "the driver deletes them when it ends"
    assert "not-for-all" not in str(pods.created)
