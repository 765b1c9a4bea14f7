"""A real Kafka broker on 127.0.0.1, of Maven's jars and in KRaft mode, also with TLS and a password."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyspark
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic, OffsetSpec, ResourceType
from ports import free_ports

from watershed.server.jars import Jars, jars_of

KAFKA_BROKER = Jars(
    "Kafka broker (of tests)",
    "kafka-broker-jars",
    (("org.apache.kafka:kafka_2.13:4.1.1", ""),),
    (("kafka_2.13-", "4.1.1"),),
    keeps_all=True,
)

START_SECONDS = 60
USER = "reader"


@dataclass
class TestBroker:
    """A broker that runs, and a client that administers it."""

    __test__ = False
    servers: str
    login: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.client = {"bootstrap.servers": self.servers, **self.login}
        self.admin = AdminClient(self.client)

    def create(self, topic: str, partitions: int = 1, **config: str) -> None:
        self._done(self.admin.create_topics([NewTopic(topic, partitions, 1, config=config)]))
        self._wait(lambda: topic in self.admin.list_topics(timeout=10).topics)

    def delete(self, topic: str) -> None:
        self._done(self.admin.delete_topics([topic]))
        self._wait(lambda: topic not in self.admin.list_topics(timeout=10).topics)

    def widen(self, topic: str, partitions: int) -> None:
        self._done(self.admin.create_partitions([NewPartitions(topic, partitions)]))
        self._wait(lambda: len(self.admin.list_topics(timeout=10).topics[topic].partitions) == partitions)

    def send(self, topic: str, values: Sequence[bytes | None], partition: int = 0, key: bytes | None = None) -> None:
        producer = Producer({**self.client, "message.max.bytes": 40_000_000})
        for value in values:
            while True:
                try:
                    producer.produce(topic, value, key, partition)
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(60) == 0

    def send_in_transaction(self, topic: str, values: Sequence[bytes], commits: bool) -> None:
        producer = Producer({**self.client, "transactional.id": uuid.uuid4().hex})
        producer.init_transactions(30)
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value, partition=0)
        producer.flush(30)
        (producer.commit_transaction if commits else producer.abort_transaction)(30)

    def remove_before(self, topic: str, offset: int, partition: int = 0) -> None:
        """Remove messages as retention does."""
        from confluent_kafka import TopicPartition

        self._done(self.admin.delete_records([TopicPartition(topic, partition, offset)]))

    def compact(self, topic: str, until: int) -> None:
        """Have the log cleaner remove values that a later one of their key replaces."""
        resource = ConfigResource(ResourceType.TOPIC, topic, {
            "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.001", "segment.ms": "100",
            "delete.retention.ms": "100",
        })  # fmt: skip
        self._done(self.admin.alter_configs([resource]))

    def end(self, topic: str, partition: int = 0) -> int:
        from confluent_kafka import TopicPartition

        asked = {TopicPartition(topic, partition): OffsetSpec.latest()}
        return next(iter(self.admin.list_offsets(asked).values())).result().offset

    def _done(self, futures: dict) -> None:
        for future in futures.values():
            future.result(30)

    def _wait(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(KafkaException):
                if holds():
                    return
            time.sleep(0.1)
        raise AssertionError("the broker did not do it in 30 s")


def jaas_of(password: str) -> str:
    """Return how a client of Java's names itself."""
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return f'{module} required username="{USER}" password="{password}";'


@contextlib.contextmanager
def running_broker(folder: Path, password: str = "") -> Iterator[TestBroker]:
    """Run a broker whose data is stored in a folder; its log is kafka.log there.

    With a password it is reached by TLS only, with the certificate ca.pem in the folder, and by that password.
    """
    port, controller = free_ports(2)
    folder.mkdir(parents=True, exist_ok=True)
    protocol = "SASL_SSL" if password else "PLAINTEXT"
    properties = folder / "server.properties"
    properties.write_text(
        "\n".join(
            [
                "process.roles=broker,controller",
                "node.id=1",
                f"controller.quorum.voters=1@127.0.0.1:{controller}",
                f"listeners={protocol}://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
                f"advertised.listeners={protocol}://127.0.0.1:{port}",
                "controller.listener.names=CONTROLLER",
                f"inter.broker.listener.name={protocol}",
                f"log.dirs={folder / 'data'}",
                "offsets.topic.replication.factor=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "group.initial.rebalance.delay.ms=0",
                "auto.create.topics.enable=false",
                "message.max.bytes=41943040",
                "replica.fetch.max.bytes=41943040",
                "log.cleaner.backoff.ms=200",
                "log.retention.check.interval.ms=500",
                "file.delete.delay.ms=100",
                *(_secured(folder, password) if password else ()),
            ]
        )
        + "\n",
        encoding="utf-8",
    )
    # Spark's resolver leaves Scala itself out.
    scala = (Path(pyspark.__file__).parent / "jars").glob("scala-library-*.jar")
    class_path = ":".join(map(str, [*jars_of(KAFKA_BROKER), *scala]))
    java = ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", class_path]
    with (folder / "kafka.log").open("ab") as log:
        subprocess.run(
            [*java, "kafka.tools.StorageTool", "format", "--ignore-formatted", "-t", "AAAAAAAAAAAAAAAAAAAAAA",
             "-c", str(properties)],
            check=True, stdout=log, stderr=log,
        )  # fmt: skip
        process = subprocess.Popen([*java, "kafka.Kafka", str(properties)], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _listens(port):
            assert process.poll() is None, (folder / "kafka.log").read_text(encoding="utf-8")[-3000:]
            assert time.monotonic() < deadline, "Kafka did not start"
            time.sleep(0.2)
        login = {
            "security.protocol": protocol, "sasl.mechanism": "PLAIN", "sasl.username": USER, "sasl.password": password,
            "ssl.ca.location": str(folder / "ca.pem"),
        }  # fmt: skip
        yield TestBroker(f"127.0.0.1:{port}", login if password else {})
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _secured(folder: Path, password: str) -> list[str]:
    """Create a certificate; return the settings of the broker."""
    store = ["-keystore", str(folder / "broker.p12"), "-storepass", password, "-alias", "broker"]
    made = ["-genkeypair", "-keyalg", "RSA", "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1", "-validity", "2"]
    for command in ([*made, "-storetype", "PKCS12"], ["-exportcert", "-rfc", "-file", str(folder / "ca.pem")]):
        subprocess.run(["keytool", *command, *store], check=True, capture_output=True)
    return [
        "listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms=PLAIN",
        "sasl.mechanism.inter.broker.protocol=PLAIN",
        f'listener.name.sasl_ssl.plain.sasl.jaas.config={jaas_of(password)[:-1]} user_{USER}="{password}";',
        f"ssl.keystore.location={folder / 'broker.p12'}",
        f"ssl.keystore.password={password}",
        # The broker's own client, too, must know whom it calls.
        "ssl.truststore.type=PEM",
        f"ssl.truststore.location={folder / 'ca.pem'}",
    ]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
