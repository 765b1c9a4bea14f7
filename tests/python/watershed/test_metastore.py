"""The metastore: its configuration in conf/hive-site.xml."""

from __future__ import annotations

from pathlib import Path

import pytest

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.server.access import access_of
from watershed.server.jars import POSTGRESQL
from watershed.server.metastore import metastore_of

URL = "jdbc:postgresql://db:5432/metastore"


def site(tmp_path: Path, url: str, mode: int = 0o600) -> Home:
    home = Home(tmp_path)
    home.conf.mkdir()
    values = {"URL": url, "UserName": "watershed", "Password": "hidden"}
    named = "".join(
        f"<property><name>javax.jdo.option.Connection{name}</name><value>{value}</value></property>"
        for name, value in values.items()
    )
    home.hive_site.write_text(f"<configuration>{named}</configuration>")
    home.hive_site.chmod(mode)
    return home


def test_without_a_file_it_is_derby_in_the_home(tmp_path: Path) -> None:
    found = metastore_of(Home(tmp_path))
    assert found.jars == ()
    assert found.settings == {
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={tmp_path}/metastore;create=true",
        "spark.hadoop.datanucleus.cache.level2": "true",
        "spark.hadoop.datanucleus.cache.level2.type": "soft",
    }


def test_postgresql_is_read_by_spark_itself_never_cached_and_its_password_printed_nowhere(tmp_path: Path) -> None:
    home = site(tmp_path, URL)
    found = metastore_of(home)
    assert found.jars == (POSTGRESQL,)
    assert found.settings == {"spark.hadoop.javax.jdo.option.ConnectionDriverName": "org.postgresql.Driver"}
    assert "hidden" not in repr(found)
    assert not access_of(home, "127.0.0.1").is_guarded, "what it says of the metastore is no way to log in"


def test_a_password_that_others_may_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WatershedError, match="its mode is 644; expected 600"):
        metastore_of(site(tmp_path, URL, 0o644))


def test_another_database_is_refused_and_its_address_not_shown(tmp_path: Path) -> None:
    with pytest.raises(WatershedError, match="expected jdbc:postgresql:") as refused:
        metastore_of(site(tmp_path, "jdbc:mysql://db/metastore?password=hidden"))
    assert "hidden" not in str(refused.value)
