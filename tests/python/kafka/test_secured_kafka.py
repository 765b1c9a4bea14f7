"""`watershed land-kafka` and a broker with TLS and a password: who gets in, and where the password is not."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import TestBroker, jaas_of, running_broker
from test_land_kafka import SECONDS, command, landed

from watershed.home import Home

pytestmark = pytest.mark.kafka
PASSWORD, WRONG = secrets.token_hex(8), secrets.token_hex(8)
JAAS = "WATERSHED_KAFKA_SASL_JAAS_CONFIG"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broker") / "ca.pem"


@pytest.fixture(scope="module")
def broker(certificate: Path) -> Iterator[TestBroker]:
    with running_broker(certificate.parent, PASSWORD) as running:
        running.create("guarded")
        yield running


@pytest.fixture
def config(project: Path, certificate: Path) -> Path:
    """A file of properties with all but who logs in."""
    file = project / "client.properties"
    file.write_text(
        "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n"
        f"ssl.truststore.type=PEM\nssl.truststore.location={certificate}\n"
    )
    return file


def land(broker: TestBroker, config: Path, status: int, **variables: str) -> str:
    """Run the command; return its output. No password is in it, in a list of processes, or anywhere in its home."""
    running = subprocess.Popen(
        command(broker, "--topic", "guarded", "--config", str(config)), env=os.environ | variables,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    deadline, arguments = time.monotonic() + SECONDS, ""
    while running.poll() is None:
        # In full width: else ps cuts them to the width of a terminal.
        arguments += subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout
        if time.monotonic() > deadline:
            running.kill()
        time.sleep(0.2)
    told, _ = running.communicate()
    assert running.returncode == status, told
    assert "Traceback" not in told, told
    assert "kafka-clients" in arguments, "the JVM was seen"
    files = [file for file in (config.parent / ".watershed").rglob("*") if file.is_file()]
    assert any(file.name == "kafka.log" for file in files)
    for password in (PASSWORD, WRONG):
        assert password not in told + arguments
        assert not [file for file in files if password.encode() in file.read_bytes()]
    return told


def test_a_password_from_the_environment_or_a_file_lands(broker: TestBroker, config: Path, home: Home) -> None:
    broker.send("guarded", [b"first"])
    assert "Landed 1 messages" in land(broker, config, 0, **{JAAS: jaas_of(PASSWORD)})
    broker.send("guarded", [b"second"])
    with config.open("a") as file:
        file.write(f"sasl.jaas.config={jaas_of(PASSWORD)}\n")
    assert "Landed 1 messages" in land(broker, config, 0)
    assert [row[3] for row in landed(home)] == [b"first", b"second"]


def test_a_wrong_password_is_reported_at_once(broker: TestBroker, config: Path) -> None:
    began = time.monotonic()
    told = land(broker, config, 2, **{JAAS: jaas_of(WRONG)})
    assert "cannot be queried: SaslAuthenticationException: Authentication failed: Invalid username or password" in told
    assert "at what --config says of security" in told
    assert time.monotonic() - began < 30, "not Kafka's own patience of a minute"


def test_a_broker_that_is_not_known_is_reported(broker: TestBroker, config: Path) -> None:
    lines = config.read_text().splitlines()
    config.write_text("\n".join(line for line in lines if "truststore" not in line))
    told = land(broker, config, 2, **{JAAS: jaas_of(PASSWORD)})
    assert "cannot be queried" in told
    assert "certification path" in told
