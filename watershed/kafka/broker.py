"""Topics and offsets of a Kafka broker, read with the JVM's Kafka client."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from watershed.errors import WatershedError
from watershed.kafka.feeds import Feed
from watershed.kafka.offsets import OnBroker, Partition

if TYPE_CHECKING:
    from py4j.java_gateway import JVMView

Answer = TypeVar("Answer")
_TIMEOUT_MILLIS = "30000"


class Broker:
    """A client of one cluster; must be closed.

    Args:
        jvm: The view of a JVM with Kafka's jars.
        servers: host:port, several separated by commas.
        properties: Further client properties; they are never printed.
    """

    def __init__(self, jvm: JVMView, servers: str, properties: Mapping[str, str]) -> None:
        """Create the client, without a request."""
        self._jvm, self._servers = jvm, servers
        client_properties = jvm.java.util.Properties()
        defaults = {"default.api.timeout.ms": _TIMEOUT_MILLIS}
        for name, value in (defaults | dict(properties) | {"bootstrap.servers": servers}).items():
            client_properties.setProperty(name, value)
        self._admin = self._result_of(lambda: jvm.org.apache.kafka.clients.admin.AdminClient.create(client_properties))

    def close(self) -> None:
        """Close the client."""
        self._admin.close()

    def look(self, feed: Feed) -> OnBroker:
        """Return the existing topics of a feed.

        Raises:
            WatershedError: no broker answers, or it refuses the request.
        """
        described = self._described(self._names(feed))
        partitions = [(name, number) for name, (_, count) in described.items() for number in range(count)]
        return OnBroker(
            {name: topic_id for name, (topic_id, _) in described.items()},
            self._positions(partitions, lambda spec: spec.earliest()),
            self._positions(partitions, lambda spec: spec.latest()),
        )

    def positions_at(self, partitions: Iterable[Partition], millis: int) -> dict[Partition, int]:
        """Return the first offset of each partition with a message of this time or later; -1 if there is none."""
        return self._positions(list(partitions), lambda spec: spec.forTimestamp(millis))

    def _names(self, feed: Feed) -> list[str]:
        names = self._result_of(lambda: list(self._admin.listTopics().names().get()))
        if feed.topic_pattern:
            # Matches as Spark and Kafka do: the whole name, by Java's rules.
            pattern = self._result_of(lambda: self._jvm.java.util.regex.Pattern.compile(feed.topic_pattern))
            return sorted(name for name in names if pattern.matcher(name).matches())
        return sorted(set(names) & set(feed.topics))

    def _described(self, names: list[str]) -> dict[str, tuple[str, int]]:
        """Return the id and the number of partitions of topics."""
        if not names:
            return {}
        asked = self._jvm.java.util.ArrayList()
        for name in names:
            asked.add(name)
        found = self._result_of(lambda: self._admin.describeTopics(asked).allTopicNames().get())
        return {name: (found[name].topicId().toString(), found[name].partitions().size()) for name in names}

    def _positions(self, partitions: list[Partition], spec: Callable[[Any], Any]) -> dict[Partition, int]:
        if not partitions:
            return {}
        admin, common = self._jvm.org.apache.kafka.clients.admin, self._jvm.org.apache.kafka.common
        asked = self._jvm.java.util.HashMap()
        keys = {partition: common.TopicPartition(*partition) for partition in partitions}
        for key in keys.values():
            asked.put(key, spec(admin.OffsetSpec))
        # Uncommitted messages do not count.
        options = admin.ListOffsetsOptions(common.IsolationLevel.READ_COMMITTED)
        found = self._result_of(lambda: self._admin.listOffsets(asked, options).all().get())
        return {partition: found[key].offset() for partition, key in keys.items()}

    def _result_of(self, question: Callable[[], Answer]) -> Answer:
        from py4j.protocol import Py4JJavaError

        try:
            return question()
        except Py4JJavaError as error:
            cause = error.java_exception
            while cause.getCause() is not None:
                cause = cause.getCause()
            kind = cause.getClass().getSimpleName()
            raise WatershedError(
                f"Kafka at {self._servers} cannot be queried: {kind}: {cause.getMessage()}",
                "Check --bootstrap-servers, the broker, and the security properties of --config.",
            ) from None
