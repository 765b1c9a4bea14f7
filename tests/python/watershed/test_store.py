"""The store of tables: addresses of a bucket, its environment variables, and Spark's settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from obstore.fsspec import FsspecStore
from obstore.store import LocalStore

from watershed.errors import WatershedError
from watershed.home import Home, find_home
from watershed.server.bucket import settings
from watershed.server.spark_session import check_landing_location
from watershed.store import VARIABLE, configured_store, location

STORE = location("s3a://lake/watershed")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (VARIABLE, "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_ALLOW_HTTP"):
        monkeypatch.delenv(name, raising=False)


def test_an_address_is_text_that_spark_and_delta_take() -> None:
    file = STORE / "landing" / "messages" / "format=x" / "part.parquet"
    assert str(file) == f"{file}" == "s3a://lake/watershed/landing/messages/format=x/part.parquet"
    assert str(file.parent.parent) == "s3a://lake/watershed/landing/messages"
    assert str(file.relative_to(STORE / "landing")) == "messages/format=x/part.parquet"
    assert location(str(file)) == file
    assert STORE in file.parents


def test_a_path_is_a_path_again() -> None:
    assert type(location("/some where/s3a://x")) is type(Path())


@pytest.mark.parametrize("text", ["s3://lake/watershed", "s3a://lake/watershed", "s3://lake/watershed/"])
def test_the_store_is_a_folder_of_a_bucket(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    assert str(configured_store()) == "s3a://lake/watershed"


def test_the_store_may_be_a_whole_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "s3://lake")
    store = configured_store()
    assert store
    assert str(store / "landing") == "s3a://lake/landing"


@pytest.mark.parametrize(
    "text", ["/srv/lake", "s3://", "s3://Lake/x", "gs://lake/x", "s3://lake/it's", "s3://lake/a/../b", "s3://lake//a"]
)
def test_an_invalid_store_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_spark_gets_the_endpoint_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "the key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the secret")
    assert not [name for name in settings() if "endpoint" in name or "path.style" in name]
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:7070")
    told = settings()
    assert told["spark.hadoop.fs.s3a.endpoint"] == "http://127.0.0.1:7070"
    assert told["spark.delta.logStore.s3a.impl"] == "watershed.S3LogStore"
    assert "the" not in "".join(told.values())


def test_a_metastore_of_another_place_is_refused(tmp_path: Path) -> None:
    check_landing_location(Home(tmp_path, STORE), "s3a://lake/watershed/landing/messages")
    check_landing_location(Home(tmp_path), f"file:{tmp_path}/landing/messages")
    for home, place in (
        (Home(tmp_path, STORE), f"file:{tmp_path}/landing/messages"),
        (Home(tmp_path, STORE), "s3a://lake/other/landing/messages"),
        (Home(tmp_path), "s3a://lake/watershed/landing/messages"),
    ):
        with pytest.raises(WatershedError, match=f"has landing.messages at {place}; expected {home.messages}"):
            check_landing_location(home, place)


def test_files_of_a_bucket_are_found_read_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FsspecStore, "_construct_store", lambda _, name: LocalStore(tmp_path / name))
    log = tmp_path / "lake" / "watershed" / "warehouse" / "shop.db" / "orders" / "_delta_log"
    log.mkdir(parents=True)
    table = STORE / "warehouse" / "shop.db" / "orders"
    for name in ("part-0.parquet", "_delta_log/0.json"):
        with (table / name).open("wb") as stream:
            stream.write(b"some")
    assert [found.parent for found in (STORE / "warehouse").glob("*.db/*/_delta_log")] == [table]
    assert list((STORE / "warehouse").glob("*.db/*/metadata")) == list((STORE / "nothing").glob("*")) == []
    assert list(STORE.rglob("[!._]*.parquet")) == [table / "part-0.parquet"]
    file = table / "_delta_log" / "0.json"
    assert (file.is_file(), file.stat().st_size, file.read_text()) == (True, 4, "some")
    assert not table.is_file()
    file.unlink()
    assert not file.is_file()
    file.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        file.unlink()
    with pytest.raises(FileNotFoundError):
        file.stat()
