"""Where tables lie: addresses of a bucket, what the environment says of it, and what Spark is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from watershed.errors import WatershedError
from watershed.home import Home, find_home
from watershed.store import VARIABLE, Address, address, configured_store, settings

STORE = Address("s3a:", "lake", "watershed")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (VARIABLE, "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_ALLOW_HTTP"):
        monkeypatch.delenv(name, raising=False)


def test_an_address_is_text_that_spark_and_delta_take() -> None:
    file = STORE / "landing" / "messages" / "format=x" / "part.parquet"
    assert str(file) == f"{file}" == "s3a://lake/watershed/landing/messages/format=x/part.parquet"
    assert str(file.parent.parent) == "s3a://lake/watershed/landing/messages"
    assert str(file.relative_to(STORE / "landing")) == "messages/format=x/part.parquet"
    assert address(str(file)) == file
    assert STORE in file.parents


def test_a_path_is_a_path_again() -> None:
    assert type(address("/some where/s3a://x")) is type(Path())


@pytest.mark.parametrize("text", ["s3://lake/watershed", "s3a://lake/watershed", "s3://lake/watershed/"])
def test_the_store_is_a_folder_of_a_bucket(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    assert str(configured_store()) == "s3a://lake/watershed"


def test_the_store_may_be_a_whole_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "s3://lake")
    assert str(configured_store()) == "s3a://lake"


@pytest.mark.parametrize(
    "text", ["/srv/lake", "s3://", "s3://Lake/x", "gs://lake/x", "s3://lake/it's", "s3://lake/a/../b", "s3://lake//a"]
)
def test_what_is_no_store_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(WatershedError, match="expected s3://bucket/folder"):
        configured_store()


def test_tables_lie_in_the_store_and_locks_in_the_home(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_home(project).messages == project / ".watershed" / "landing" / "messages"
    monkeypatch.setenv(VARIABLE, "s3://lake/watershed")
    home = find_home(project)
    assert str(home.messages) == "s3a://lake/watershed/landing/messages"
    assert str(home.warehouse) == "s3a://lake/watershed/warehouse"
    mine = [home.landing_lock, home.server_lock, home.unfinished, home.conf, home.scratch, home.metastore, home.kafka]
    assert all(path.is_relative_to(project / ".watershed") for path in mine)
    assert Home(home.root).messages == project / ".watershed" / "landing" / "messages"


def test_spark_is_told_the_endpoint_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "the key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the secret")
    assert not [name for name in settings() if "endpoint" in name or "path.style" in name]
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:7070")
    told = settings()
    assert told["spark.hadoop.fs.s3a.endpoint"] == "http://127.0.0.1:7070"
    assert told["spark.delta.logStore.s3a.impl"] == "watershed.S3LogStore"
    assert "the" not in "".join(told.values())
