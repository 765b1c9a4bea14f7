"""dbt on a copy of this project, beside a Spark that only answers; a plugin of pytest, for its fixtures.

Most tests need no dbt, and to import it takes a second: only fixtures do.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from watershed.samples import lay_seeds
from watershed.sources import SWITCH

if TYPE_CHECKING:
    from dbt.adapters.contracts.connection import Connection
    from dbt.cli.main import dbtRunnerResult
    from dbt.contracts.graph.manifest import Manifest
    from made_up_spark import Spark


def _opened(connection: Connection) -> Connection:
    from dbt.adapters.contracts.connection import ConnectionState

    connection.handle, connection.state = SimpleNamespace(close=lambda: None), ConnectionState.OPEN
    return connection


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("target")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the project, samples and all: their snapshots are what is built here."""
    from conftest import PROJECT_DIR
    from dbt_project import PARTS

    folder = tmp_path_factory.mktemp("project")
    for part in (*PARTS, "samples"):
        copy = shutil.copytree if (PROJECT_DIR / part).is_dir() else shutil.copy
        copy(PROJECT_DIR / part, folder / part)
    lay_seeds(folder)
    return folder


@pytest.fixture(scope="session")
def manifest(folder: Path, target: Path) -> Manifest:
    """Parse the project once: all runs share its graph, in which runs leave notes."""
    from dbt.cli.main import dbtRunner

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv(SWITCH, "1")
        patch.delenv("WATERSHED_SCHEMA", raising=False)
        done = dbtRunner().invoke(["parse", *_places(target)])
    assert done.success, done.exception
    return done.result


def _places(target: Path) -> list[str]:
    return ["--profiles-dir", "profiles", "--target-path", str(target), "--log-path", str(target), "--quiet"]


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch, target: Path) -> Spark:
    from dbt.adapters.spark import SparkAdapter, SparkConnectionManager
    from made_up_spark import Spark

    made = Spark(target)
    monkeypatch.setattr(SparkConnectionManager, "open", _opened)
    monkeypatch.setattr(SparkAdapter, "execute", lambda *given, **named: made.execute(*given, **named))
    monkeypatch.setattr(SparkAdapter, "list_relations_without_caching", lambda *given: made.list_relations(*given))
    monkeypatch.setattr(SparkAdapter, "list_schemas", lambda *_: ["watershed", "watershed_staging"])
    return made


@pytest.fixture
def invoke(
    spark: Spark, manifest: Manifest, folder: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dbtRunnerResult]:
    from dbt.cli.main import dbtRunner

    monkeypatch.chdir(folder)
    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.delenv("WATERSHED_SCHEMA", raising=False)
    return lambda *arguments, **options: dbtRunner(manifest, **options).invoke([*arguments, *_places(target)])


@pytest.fixture
def dbt(spark: Spark, invoke: Callable[..., dbtRunnerResult]) -> Callable[..., list[str]]:
    def run(*arguments: str) -> list[str]:
        spark.written.clear()
        done = invoke(*arguments)
        assert done.success, done.exception or [result.message for result in done.result]
        return [sql[:40] for sql in spark.written]

    return run


def stands(spark: Spark, name: str, made_in: str) -> None:
    """Say that a table stands there, made by a run; by none for one that was made before runs were noted."""
    spark.information[f"watershed.{name}"] = "Type: MANAGED\nProvider: delta\n"
    spark.properties[name] = {"watershed.made_in": made_in} if made_in else {}


def folds(spark: Spark, until: int, name: str = "row_states") -> None:
    """Say until when a table was folded from events."""
    spark.properties[name]["watershed.events_until"] = str(until)
