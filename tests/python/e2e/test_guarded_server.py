"""A server with passwords and TLS: who gets in, who does not, and where its secrets are not."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import PROJECT_DIR, WATERSHED, Server, start_server
from dbt_project import DBT
from directory import directory
from pyhive import hive
from thrift.transport.TTransport import TTransportException

from watershed.server.client import PASSWORD, USER

pytestmark = [pytest.mark.e2e, pytest.mark.proof]

HOST = "127.0.0.2"
ANNA, KEYSTORE, WRONG = "annas-word-4711", "keystores-word-4711", "wrong-word-4711"
SECRET = re.compile(r"\w+-word-4711")


@dataclass
class Guarded:
    """A server on an address that is not the default, and the environment of a user of it."""

    server: Server
    env: dict[str, str]

    def run(self, *command: str, **changed: str | None) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in (self.env | changed).items() if value is not None}
        return subprocess.run(command, cwd=PROJECT_DIR, env=env, capture_output=True, text=True, timeout=180)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    home = tmp_path_factory.mktemp("guarded") / "home"
    (home / "conf").mkdir(parents=True)
    keystore, certificate = home / "conf" / "keystore.p12", home.parent / "certificate.pem"
    store = ["keytool", "-alias", "watershed", "-keystore", str(keystore), "-storepass:env", "STORE"]
    made = ["-genkeypair", "-keyalg", "RSA", "-dname", "CN=watershed", "-ext", f"san=ip:{HOST}"]
    for arguments in (made, ["-exportcert", "-rfc", "-file", str(certificate)]):
        subprocess.run([*store, *arguments], env={"STORE": KEYSTORE}, check=True, capture_output=True)
    with directory({"uid=anna,ou=people": ANNA}) as url:
        configure(home / "conf" / "hive-site.xml", url, keystore)
        server = start_server(home, "--host", HOST)
        login = {USER: "anna", PASSWORD: ANNA, "SSL_CERT_FILE": str(certificate)}
        yield Guarded(server, server.env | login)
        server.stop()


def configure(site: Path, url: str, keystore: Path) -> None:
    properties = {
        "hive.server2.authentication": "LDAP",
        "hive.server2.authentication.ldap.url": url,
        "hive.server2.authentication.ldap.userDNPattern": "uid=%s,ou=people",
        "hive.server2.use.SSL": "true",
        "hive.server2.keystore.path": str(keystore),
        "hive.server2.keystore.password": KEYSTORE,
        # Has no effect in combination with --host.
        "hive.server2.thrift.bind.host": "127.0.0.3",
    }
    lines = [f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items()]
    site.write_text("\n".join(["<configuration>", *lines, "</configuration>"]))
    site.chmod(0o600)


def test_a_user_with_a_password_gets_in_and_is_known_by_name(guarded: Guarded) -> None:
    done = guarded.run(WATERSHED, "sql", "--format", "csv", "select current_user(), count(*) from landing.messages")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == ["anna,0"]


@pytest.mark.parametrize(("user", "password"), [("anna", WRONG), ("nobody", ANNA), ("anna)(uid=*", ANNA)])
def test_others_do_not_get_in(guarded: Guarded, user: str, password: str) -> None:
    done = guarded.run(WATERSHED, "sql", "select 1", **{USER: user, PASSWORD: password})
    assert done.returncode == 2
    assert f"rejected the user {user!r}.\n  Check {USER} and {PASSWORD}." in done.stderr


def test_without_tls_no_client_gets_in(guarded: Guarded) -> None:
    done = guarded.run(WATERSHED, "sql", "select 1", **{USER: None})
    assert done.returncode == 2
    assert f"If it requires a password, set {USER} and {PASSWORD}." in done.stderr
    for auth in ({}, {"auth": "LDAP", "password": ANNA}):
        with pytest.raises(TTransportException):
            hive.connect(HOST, guarded.server.port, username="anna", **auth)


def test_a_certificate_that_is_not_trusted_gets_no_password(guarded: Guarded) -> None:
    done = guarded.run(WATERSHED, "sql", "select 1", SSL_CERT_FILE=None)
    assert done.returncode == 2
    assert f"The certificate of {HOST}:{guarded.server.port} is not trusted: self-signed certificate." in done.stderr


def test_dbt_connects_and_prints_no_password(guarded: Guarded, tmp_path: Path) -> None:
    options = ["--profiles-dir", "profiles", "--log-path", str(tmp_path), "--target-path", str(tmp_path / "target")]
    question = ["--inline", "select current_user() as who", "--output", "json"]
    shown = [DBT, "--debug", "show", "--quiet", *question, *options]
    done = guarded.run(*shown)
    assert '"who": "anna"' in done.stdout, done.stdout + done.stderr
    refused = guarded.run(*shown, **{PASSWORD: WRONG})
    assert refused.returncode != 0
    assert "Error validating the login" in refused.stdout
    written = [path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert not SECRET.findall("\n".join([done.stdout, done.stderr, refused.stdout, refused.stderr, *written]))


def test_status_and_with_server_find_it(guarded: Guarded) -> None:
    address = f"{HOST}:{guarded.server.port}"
    found = {"WATERSHED_HOST": None, "WATERSHED_PORT": None}
    done = guarded.run(WATERSHED, "status", **found)
    assert f"Server      {address}, process {guarded.server.process.pid}, for users with a password" in done.stdout
    assert "Last build  none in schema watershed: dbt build" in done.stdout
    done = guarded.run(WATERSHED, "with-server", WATERSHED, "sql", "--format", "csv", "select current_user()", **found)
    assert done.stdout.splitlines()[1:] == ["anna"], done.stderr


def test_it_listens_only_there_and_prints_no_secret(guarded: Guarded) -> None:
    psutil = pytest.importorskip("psutil")
    server = psutil.Process(guarded.server.process.pid)
    listening, commands = [], {}
    for process in [server, *server.children(recursive=True)]:
        # A Python worker may end while it is looked at.
        with contextlib.suppress(psutil.NoSuchProcess):
            commands[process.pid] = " ".join(process.cmdline())
            listening += [one for one in process.net_connections(kind="tcp") if one.status == "LISTEN"]
    assert "java" in commands[guarded.server.jvm_pid]
    at_port = {one.laddr.ip.removeprefix("::ffff:") for one in listening if one.laddr.port == guarded.server.port}
    assert at_port == {HOST}
    assert {one.laddr.ip.removeprefix("::ffff:") for one in listening} <= {HOST, "127.0.0.1"}
    logs = [path.read_text(errors="replace") for path in (guarded.server.home / "logs").iterdir()]
    assert not SECRET.findall("\n".join([*commands.values(), *logs]))
    assert guarded.run(WATERSHED, "sql", "set hive.server2.keystore.password").stdout.count("(redacted)") == 1
