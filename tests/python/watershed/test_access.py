"""Access control: settings rejected before Spark starts, and detection of a missing login."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest
import yaml
from conftest import PROJECT_DIR
from dbt.config.renderer import ProfileRenderer
from dbt_common.context import set_invocation_context

from watershed.cli import main
from watershed.errors import WatershedError
from watershed.home import Home
from watershed.lock import Lock
from watershed.server import serve
from watershed.server.access import Access, access_of
from watershed.server.client import PASSWORD, USER, NoServerError, connect
from watershed.server.file_format import FORMATS
from watershed.server.jars import spark_environment
from watershed.server.metastore import metastore_of
from watershed.server.spark_session import settings

OUTPUT = yaml.safe_load((PROJECT_DIR / "profiles" / "profiles.yml").read_text())["watershed"]["outputs"]["server"]
LDAP = {
    "hive.server2.authentication": "LDAP",
    "hive.server2.authentication.ldap.url": "ldaps://directory",
    "hive.server2.use.SSL": "true",
    "hive.server2.keystore.path": "keystore",
    "hive.server2.keystore.password": "secret-4711",
}
CUSTOM = LDAP | {
    "hive.server2.authentication": "custom",
    "hive.server2.authentication.ldap.url": "",
    "hive.server2.custom.authentication.class": "com.example.Users",
}


@pytest.fixture
def guarded(tmp_path: Path) -> Home:
    """Name a home that has a keystore and no settings yet."""
    home = Home(tmp_path)
    home.conf.mkdir()
    (home.conf / "keystore").touch()
    return home


def configure(home: Home, properties: dict[str, str], mode: int = 0o600) -> None:
    def text(name: str, value: str) -> str:
        path = str(home.conf / value) if name.endswith("keystore.path") and value else value
        return f"<property><name>{name}</name><value>{path}</value></property>"

    home.hive_site.write_text(f"<configuration>{''.join(text(*one) for one in properties.items())}</configuration>")
    home.hive_site.chmod(mode)


def server_of(home: Home, access: Access) -> serve._Server:
    return serve._Server(home, Lock(home.server_lock), access, FORMATS["delta"], metastore_of(home), 1)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
def test_this_machine_needs_no_password(guarded: Home, host: str) -> None:
    assert access_of(guarded, host) == Access(host, "NONE")
    configure(guarded, {"hive.exec.scratchdir": "x", "hive.server2.authentication": "none"}, 0o644)
    assert not access_of(guarded, host).is_guarded


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1"])
@pytest.mark.parametrize("properties", [{}, {"hive.server2.authentication": "NONE"}, {"hive.server2.use.SSL": "false"}])
def test_others_need_a_password(guarded: Home, host: str, properties: dict[str, str]) -> None:
    configure(guarded, properties)
    with pytest.raises(WatershedError, match=rf"(?s)--host {host} lets other.*found none in .*docs/connecting"):
        access_of(guarded, host)


@pytest.mark.parametrize("properties", [LDAP, CUSTOM])
def test_with_passwords_and_tls_others_may_connect(guarded: Home, properties: dict[str, str]) -> None:
    configure(guarded, properties)
    access = access_of(guarded, "0.0.0.0")
    assert (access.is_guarded, access.host, access.client_host) == (True, "0.0.0.0", "127.0.0.1")


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"hive.server2.use.SSL": ""}, "hive.server2.use.SSL is not true: passwords would be sent as text"),
        ({"hive.server2.authentication": "NOSASL"}, "hive.server2.authentication is NOSASL; expected LDAP or CUSTOM"),
        ({"hive.server2.authentication": "PAM"}, "hive.server2.authentication is PAM; expected LDAP or CUSTOM"),
        ({"hive.server2.authentication": ""}, "hive.server2.authentication is missing; expected LDAP or CUSTOM"),
        ({"hive.server2.authentication.ldap.url": ""}, "hive.server2.authentication.ldap.url is missing, which LDAP"),
        ({"hive.server2.authentication": "CUSTOM"}, "hive.server2.custom.authentication.class is missing, which CUS"),
        (
            {"hive.server2.authentication.ldap.groupFilter": "analysts"},
            "Spark ignores hive.server2.authentication.ldap.groupFilter, so it would restrict no one",
        ),
        ({"hive.server2.keystore.path": ""}, "hive.server2.keystore.path is missing"),
        ({"hive.server2.keystore.path": "none"}, "conf/none, which is not a file"),
    ],
)
def test_half_a_guard_is_refused_everywhere(guarded: Home, host: str, changed: dict[str, str], expected: str) -> None:
    configure(guarded, LDAP | changed)
    with pytest.raises(WatershedError, match=expected) as refused:
        access_of(guarded, host)
    assert "secret-4711" not in str(refused.value)


@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_secrets_that_others_can_read_are_refused(guarded: Home, mode: int) -> None:
    configure(guarded, LDAP, mode)
    with pytest.raises(WatershedError, match=f"its mode is {mode:o}; expected 600.\n  chmod 600 {guarded.hive_site}"):
        access_of(guarded, "0.0.0.0")


def test_settings_that_are_no_xml_are_refused(guarded: Home) -> None:
    guarded.hive_site.write_text("hive.server2.authentication=LDAP")
    with pytest.raises(WatershedError, match=r"hive-site.xml is not XML: .*\n  Correct it"):
        access_of(guarded, "127.0.0.1")


@pytest.mark.parametrize("host", ["", "localhost", "::", "10.0.0", "0"])
def test_an_address_that_is_none_is_refused(guarded: Home, host: str) -> None:
    for properties in ({}, LDAP):
        configure(guarded, properties)
        with pytest.raises(WatershedError, match="expected an IPv4 address of this machine"):
            access_of(guarded, host)


def test_what_was_checked_counts_and_no_secret_is_in_the_process_list(guarded: Home) -> None:
    configure(guarded, LDAP)
    chosen = settings(guarded, 10000, "local[*]", "1g", [], access_of(guarded, "0.0.0.0"))
    assert chosen["spark.hadoop.hive.server2.authentication"] == "LDAP"
    assert chosen["spark.hadoop.hive.server2.use.SSL"] == "true"
    assert chosen["spark.hadoop.hive.server2.thrift.bind.host"] == "0.0.0.0"
    assert "secret-4711" not in str(chosen)
    chosen = settings(guarded, 10000, "local[*]", "1g", [], Access())
    assert chosen["spark.hadoop.hive.server2.authentication"] == "NONE"
    assert chosen["spark.hadoop.hive.server2.thrift.bind.host"] == "127.0.0.1"


def test_serve_refuses_before_it_starts_anything(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project))  # no Java
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--host", "0.0.0.0"])
    assert ended.value.code == 2
    assert "watershed serve: --host 0.0.0.0 lets other machines connect" in capsys.readouterr().err


def test_a_server_that_lets_everybody_in_is_ended(guarded: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "refuses_strangers", lambda *_: False)
    running = server_of(guarded, Access("127.0.0.2", "CUSTOM"))
    with pytest.raises(WatershedError, match=rf"random password and was shut down.*\n.*{guarded.hive_site}"):
        running._wait_for_answer(0)


def test_a_server_that_does_not_answer_shows_its_log(guarded: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_REFUSAL_SECONDS", 0)
    guarded.server_log.parent.mkdir()
    guarded.server_log.write_text(
        "of before: Error\nCaused by: java.lang.ClassNotFoundException: Class com.example.Users\n"
    )
    running = server_of(guarded, Access("127.0.0.1", "CUSTOM"))
    with pytest.raises(WatershedError, match=r"does not answer at 127.0.0.1:1: (?s:.*)Class com.example.Users") as told:
        running._wait_for_answer(len("of before: Error\n"))
    assert "of before" not in str(told.value)


def test_the_host_that_is_asked_is_not_the_host_that_is_served(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATERSHED_HOST", "192.0.2.1")
    monkeypatch.setenv("PATH", str(project))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(SystemExit):
        main(["serve"])
    assert "Java is missing" in capsys.readouterr().err


def test_a_user_without_a_password_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USER, "anna")
    monkeypatch.delenv(PASSWORD, raising=False)
    with pytest.raises(WatershedError, match=f"{USER} is 'anna', and {PASSWORD} is not set"), connect("127.0.0.1", 1):
        pass


def test_a_password_goes_to_no_server_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USER, "anna")
    monkeypatch.setenv(PASSWORD, "secret-4711")
    received = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as client:
                received.append(client.recv(65536))
                client.sendall(b"\x04\x00\x00\x00\x05plain")

        listener = threading.Thread(target=answer)
        listener.start()
        port = server.getsockname()[1]
        with pytest.raises(NoServerError, match=f"does not use TLS.*\n.*unset {USER}"), connect("127.0.0.1", port):
            pass
        listener.join()
    assert received
    assert b"secret-4711" not in received[0]


def test_spark_does_not_see_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret-4711")
    assert "secret-4711" not in spark_environment().values()
    assert os.environ[PASSWORD]


@pytest.mark.parametrize(
    ("env", "user", "password", "auth", "use_ssl"),
    [
        ({}, "", None, None, False),
        ({PASSWORD: "4711"}, "", None, None, False),
        ({USER: "anna", PASSWORD: "4711"}, "anna", "4711", "LDAP", True),
        ({USER: "anna", PASSWORD: "{{ none }}"}, "anna", "{{ none }}", "LDAP", True),
    ],
)
def test_the_profile_of_dbt_takes_the_same_login(
    env: dict[str, str], user: str, password: str | None, auth: str | None, use_ssl: bool
) -> None:
    set_invocation_context(env)
    profile = ProfileRenderer({}).render_data(dict(OUTPUT))
    found = (profile["user"], profile["password"], profile["auth"], profile["use_ssl"])
    assert found == (user, password, auth, use_ssl)
