"""Shared services of several machines: an S3 bucket and a metastore in PostgreSQL, both on this machine."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from ports import ADDRESS, SECONDS, free_ports, wait_for

GATEWAY = Path(sys.prefix) / "share" / "watershed" / "versitygw"
BUCKET = "lake"
HIVE_SITE = """\
<configuration>
  <property><name>javax.jdo.option.ConnectionURL</name><value>jdbc:postgresql://{address}:{port}/metastore</value></property>
  <property><name>javax.jdo.option.ConnectionUserName</name><value>watershed</value></property>
  <property><name>javax.jdo.option.ConnectionPassword</name><value>{password}</value></property>
</configuration>
"""


@dataclass
class Shared:
    """What runs, and how it is reached."""

    variables: dict[str, str]
    hive_site: str
    secrets: Sequence[str]

    def home(self, folder: Path) -> Path:
        """Make a home whose metastore is the one that all share."""
        conf = folder / "conf"
        conf.mkdir(parents=True)
        site = conf / "hive-site.xml"
        site.touch(0o600)
        site.write_text(self.hive_site)
        return folder


@contextlib.contextmanager
def running_shared(folder: Path) -> Iterator[Shared]:
    """Run both meanwhile; their data is in the folder."""
    with contextlib.ExitStack() as held:
        key, secret, password = (secrets.token_hex(8) for _ in range(3))
        endpoint = held.enter_context(_bucket(folder / "store", key, secret))
        port = held.enter_context(_database(password))
        variables = {
            "WATERSHED_STORE": f"s3://{BUCKET}/of tests".replace(" ", "_"),
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": secret,
        }
        hive_site = HIVE_SITE.format(address=ADDRESS, port=port, password=password)
        yield Shared(variables, hive_site, (secret, password))


@contextlib.contextmanager
def _bucket(folder: Path, key: str, secret: str) -> Iterator[str]:
    if not GATEWAY.exists():
        pytest.fail(f"{GATEWAY} is missing. `make test-cluster` installs it.", pytrace=False)
    (folder / BUCKET).mkdir(parents=True)
    port = free_ports(1)[0]
    environment = os.environ | {"ROOT_ACCESS_KEY": key, "ROOT_SECRET_KEY": secret}
    command = [str(GATEWAY), "--port", f"{ADDRESS}:{port}", "--quiet", "posix", str(folder)]
    with (folder.parent / "store.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        wait_for(port)
        yield f"http://{ADDRESS}:{port}"
    finally:
        process.terminate()
        process.wait(SECONDS)


@contextlib.contextmanager
def _database(password: str) -> Iterator[int]:
    """Run PostgreSQL as a separate user, because it refuses to run as root; its folder belongs to that user."""
    [*_, programs] = [None, *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]
    if programs is None:
        pytest.fail("PostgreSQL is missing. `make test-cluster` installs it.", pytrace=False)
    as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    folder = Path(subprocess.check_output([*as_user, "mktemp", "-d"], text=True, cwd="/").strip())
    port = free_ports(1)[0]

    def run(*command: str, given: str = "") -> None:
        subprocess.run([*as_user, *command], input=given, text=True, check=True, capture_output=True, cwd="/")

    try:
        data = str(folder / "data")
        run(
            f"{programs}/initdb",
            "--pgdata",
            data,
            "--auth-local",
            "trust",
            "--auth-host",
            "scram-sha-256",
            "-U",
            "owner",
        )
        options = f"-c listen_addresses={ADDRESS} -c port={port} -c unix_socket_directories={folder} -c fsync=off"
        run(f"{programs}/pg_ctl", "--pgdata", data, "-o", options, "--log", f"{folder}/log", "--wait", "start")
        try:
            statements = (
                f"create role watershed login password '{password}';\ncreate database metastore owner watershed;"
            )
            run(f"{programs}/psql", "-h", str(folder), "-p", str(port), "-U", "owner", "postgres", given=statements)
            yield port
        finally:
            run(f"{programs}/pg_ctl", "--pgdata", data, "--wait", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
