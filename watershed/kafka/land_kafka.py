"""`watershed land-kafka`: exactly-once landing from Kafka into landing.messages (ADR 0018)."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.kafka.broker import Broker
from watershed.kafka.feeds import Feed, moment
from watershed.kafka.offsets import OnBroker, Partition, batch_end, check, lag, remade_topics, to_json
from watershed.kafka.session import spark_of
from watershed.kafka.state import Stream, begin, newest_stream, note, path_of
from watershed.landing.tables import ensure_landing_tables, next_batch
from watershed.lock import Lock
from watershed.tables import aligned
from watershed.texts import print_to_stderr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_MOST_MESSAGES = 1_000_000
_POLL_SECONDS = 0.2
_SECONDS_BETWEEN_LINES = 10.0


@dataclass(frozen=True)
class StreamOptions:
    """Options of a call: the start of a new source, the duration, and accepted losses."""

    start: str = "earliest"
    every_seconds: int | None = None
    accepts_loss: bool = False
    takes_new_epoch: bool = False
    memory: str = "2g"


def land_kafka(home: Home, feeds: Sequence[Feed], properties: Mapping[str, str], options: StreamOptions) -> None:
    """Land the existing messages, or continue until SIGTERM or Ctrl-C; each source occurs once in the feeds.

    Raises:
        WatershedError: Kafka or Spark cannot be used, or messages would be lost; other sources have landed then.
    """
    begins = None if options.start in ("earliest", "latest") else moment(options.start)
    ensure_landing_tables(home, on_wait=print_to_stderr)
    with contextlib.ExitStack() as held:
        for feed in feeds:
            held.enter_context(_only_stream(home, feed.source_name))
        landing = Lock(home.landing_lock)
        held.callback(landing.release)
        scratch = path_of(home, feeds[0].source_name, "tmp")
        spark = held.enter_context(spark_of(home, landing, scratch, options.memory))
        run = _Run(home, spark, landing, properties, options, begins)
        run.take_signals()
        run.start(feeds)
        run.wait()
        run.report()


class _Run:
    """The streams of one call."""

    def __init__(
        self,
        home: Home,
        spark: SparkSession,
        landing: Lock,
        properties: Mapping[str, str],
        options: StreamOptions,
        begins: int | None,
    ) -> None:
        self._home, self._spark, self._landing = home, spark, landing
        self._properties, self._options, self._begins = properties, options, begins
        self._queries: dict[str, tuple[Feed, Stream, StreamingQuery]] = {}
        self._problems: list[WatershedError] = []
        self._messages: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._failed: set[str] = set()
        # The ids of the topics being read, by source.
        self._ids: dict[str, dict[str, str]] = {}
        self._writing = threading.Lock()
        self._stopping = False
        self._began = time.monotonic()

    def take_signals(self) -> None:
        """Stop between two batches at SIGTERM and Ctrl-C."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: setattr(self, "_stopping", True))

    def start(self, feeds: Sequence[Feed]) -> None:
        """Start the stream of each feed; a failure of one does not affect the others."""
        from pyspark.errors import PySparkException

        for feed in feeds:
            try:
                broker = self._look(feed)
                stream = self._stream_of(feed, broker)
                note(stream, broker.ids)
                self._queries[feed.source_name] = (feed, stream, self._query(feed, stream))
            except WatershedError as error:
                self._problems.append(error)
            except PySparkException as error:
                reason = str(error).strip().split("\n", 1)[0]
                self._problems.append(WatershedError(f"Source {feed.source_name!r}: Spark cannot read it: {reason}"))

    def wait(self) -> None:
        """Wait until all streams have ended or must stop; print their progress."""
        printed_at = time.monotonic()
        while any(query.isActive for _, _, query in self._queries.values()) and not self._stopping:
            time.sleep(_POLL_SECONDS)
            self._count()
            self._print_failed()
            if time.monotonic() - printed_at >= _SECONDS_BETWEEN_LINES:
                printed_at = time.monotonic()
                self._print_progress()
        with self._writing:
            for _, _, query in self._queries.values():
                query.stop()
        self._count()

    def report(self) -> None:
        """Print landed and remaining messages, a row per partition.

        Raises:
            WatershedError: a stream could not start, or has failed.
        """
        rows = []
        for name, (feed, stream, query) in self._queries.items():
            # A stream stopped in the middle of a batch reports a failure.
            failure = query.exception() if name in self._failed or not self._stopping else None
            try:
                broker = self._look(feed)
                landed = stream.landed_until(self._home)
                for (topic, partition), left in lag(landed, broker.end).items():
                    until = landed.get((topic, partition), 0)
                    rows.append([name, stream.landed_as(topic), str(partition), f"{until:,}", f"{left:,}"])
                if failure is not None:
                    self._check(feed, stream, broker)
            except WatershedError as error:
                self._problems.append(error)
                continue
            if failure is not None:
                reason = str(failure).strip().split("\n", 1)[0]
                self._problems.append(
                    WatershedError(
                        f"The stream of source {name!r} failed: {reason}", f"Spark's log is {self._home.kafka_log}."
                    )
                )
        total, seconds = sum(self._messages.values()), max(time.monotonic() - self._began, 0.001)
        print(f"Landed {total:,} messages from Kafka in {seconds:.1f} s ({total / seconds:,.0f} a second).")
        if rows:
            print(aligned(["source", "topic", "partition", "next offset", "lag"], rows, right=[2, 3, 4]))
        if self._problems:
            raise WatershedError("\n".join(map(str, self._problems)))

    def _check(self, feed: Feed, stream: Stream, broker: OnBroker) -> dict[str, str]:
        """Fail if a running stream cannot continue without a loss; return the ids of its topics."""
        ids = self._ids.setdefault(feed.source_name, {topic: stream.ids[topic] for topic in stream.topics})
        landed = {at: offset for at, offset in stream.landed_until(self._home).items() if at[0] in ids}
        needed = {at: 0 for at in broker.first if at[0] in ids} | landed
        check(feed.source_name, ids, needed, broker, stream.with_recreated(broker.ids).landed_as)
        return ids

    def _look(self, feed: Feed) -> OnBroker:
        with self._broker(feed) as broker:
            return broker.look(feed)

    def _broker(self, feed: Feed) -> contextlib.closing[Broker]:
        jvm = self._spark.sparkContext._jvm
        assert jvm is not None
        return contextlib.closing(Broker(jvm, feed.bootstrap_servers, self._properties))

    def _stream_of(self, feed: Feed, broker: OnBroker) -> Stream:
        """Return the existing stream, or begin a new one if there is none or Spark could not continue it."""
        stream = newest_stream(self._home, feed.source_name)
        absent = sorted(set(feed.topics) - set(broker.ids) - set(stream.ids if stream else ()))
        if absent or not (broker.ids or stream):
            named = ", ".join(map(repr, absent or [feed.topic_pattern]))
            raise WatershedError(
                f"Source {feed.source_name!r}: no topic {named} at {feed.bootstrap_servers}.",
                "Create it, or correct its name.",
            )
        if stream is None:
            return begin(self._home, feed.source_name, self._first_positions(feed, broker), broker.ids, broker.ids, {})
        landed = stream.landed_until(self._home)
        needed = {at: offset for at, offset in landed.items() if at[0] in (feed.topics or stream.topics)}
        if feed.topic_pattern:  # a topic that had left and matches again
            needed |= {at: offset for at, offset in landed.items() if at[0] in broker.ids}
        remade = remade_topics(stream.ids, needed, broker) if self._options.takes_new_epoch else []
        known = {topic: topic_id for topic, topic_id in stream.ids.items() if topic not in remade}
        needed = {at: offset for at, offset in needed.items() if at[0] not in remade}
        # A partition added to a topic is read from its first message.
        needed = {at: 0 for at in broker.first if at[0] in known} | needed
        kept = needed
        if self._options.accepts_loss:
            kept = {at: max(offset, broker.first[at]) for at, offset in needed.items() if at in broker.first}
        check(feed.source_name, known, kept, broker, stream.with_recreated(broker.ids).landed_as)
        if kept == needed and not remade and broker.ids.keys() == stream.topics:
            return stream
        # The positions of topics that have left are recorded.
        start = {**{at: offset for at, offset in landed.items() if at[0] not in remade}, **broker.first, **kept}
        ids = {**stream.ids, **broker.ids}
        return begin(self._home, feed.source_name, start, broker.ids, ids, stream.with_recreated(remade).epochs)

    def _first_positions(self, feed: Feed, broker: OnBroker) -> dict[Partition, int]:
        """Return the start of a new stream; recorded, so that the run after one without messages starts there too."""
        if self._begins is None:
            return dict(broker.end if self._options.start == "latest" else broker.first)
        with self._broker(feed) as asked:
            found = asked.positions_at(broker.end, self._begins)
        return {partition: end if found[partition] < 0 else found[partition] for partition, end in broker.end.items()}

    def _query(self, feed: Feed, stream: Stream) -> StreamingQuery:
        reader = self._spark.readStream.format("kafka")
        for name, value in self._properties.items():
            reader = reader.option(f"kafka.{name}", value)
        reader = reader.options(
            **{
                "kafka.bootstrap.servers": feed.bootstrap_servers,
                # Messages of aborted transactions do not count.
                "kafka.isolation.level": "read_committed",
                "subscribePattern" if feed.topic_pattern else "subscribe": feed.topic_pattern or ",".join(feed.topics),
                "startingOffsets": to_json(
                    {at: offset for at, offset in stream.start.items() if at[0] in stream.topics}
                ),
                "failOnDataLoss": "true",
                "maxOffsetsPerTrigger": str(_MOST_MESSAGES),
                "groupIdPrefix": "watershed",
            }
        )
        writer = (
            reader.load()
            .writeStream.queryName(feed.source_name)
            .option("checkpointLocation", str(stream.checkpoint))
            .foreachBatch(lambda frame, number: self._land(feed, stream, frame, number))
        )
        every = self._options.every_seconds
        return (
            writer.trigger(availableNow=True) if every is None else writer.trigger(processingTime=f"{every} seconds")
        ).start()

    def _land(self, feed: Feed, stream: Stream, frame: DataFrame, number: int) -> None:
        """Append a batch in one Delta commit, which records its number, so that a repetition is skipped."""
        from pyspark.sql import functions as f

        # Spark identifies topics by name only: it would continue in a recreated topic with as many messages.
        broker = self._look(feed)
        ids = self._check(feed, stream, broker)
        with self._landing_lock():
            batch_id, landed_at = next_batch(self._home)
            topic = f.col("topic")
            for name in sorted(stream.epochs):
                topic = f.when(f.col("topic") == name, f.lit(stream.landed_as(name))).otherwise(topic)
            (
                frame.select(
                    f.lit(feed.source_name).alias("source_name"),
                    f.lit(feed.format).alias("format"),
                    topic.alias("topic"),
                    "partition",
                    "offset",
                    "key",
                    "value",
                    # Kafka sends -1 if a message has no time.
                    f.when(f.col("timestamp") >= f.timestamp_millis(f.lit(0)), f.col("timestamp")).alias("sent_at"),
                    f.lit(landed_at).alias("landed_at"),
                    f.lit(batch_id).alias("batch_id"),
                    f.lit(None).cast("string").alias("file_name"),
                )
                .write.format("delta")
                .mode("append")
                .options(txnAppId=stream.name, txnVersion=str(number), optimizeWrite="true")
                .save(str(self._home.messages))
            )
        new = {topic for topic, _ in batch_end(stream.checkpoint, number)} - ids.keys()
        if new:  # new topics that match the pattern
            ids.update({topic: broker.ids[topic] for topic in new & broker.ids.keys()})
            note(stream, ids)

    @contextlib.contextmanager
    def _landing_lock(self) -> Iterator[None]:
        """Hold the landing lock, which one thread of this process may use at a time."""
        while not self._writing.acquire(timeout=_POLL_SECONDS):
            self._fail_if_stopping()
        try:
            while not self._landing.try_acquire():
                self._fail_if_stopping()
                time.sleep(_POLL_SECONDS)
            try:
                self._fail_if_stopping()
                self._landing.describe()
                yield
            finally:
                self._landing.unlock()
        finally:
            self._writing.release()

    def _fail_if_stopping(self) -> None:
        if self._stopping:
            raise WatershedError("landing stopped between two batches.")

    def _count(self) -> None:
        for name, (_, _, query) in self._queries.items():
            for progress in query.recentProgress:
                if progress.batchId > self._seen.get(name, -1):
                    self._seen[name] = progress.batchId
                    self._messages[name] = self._messages.get(name, 0) + progress.numInputRows

    def _print_failed(self) -> None:
        """Report a failed stream immediately, because the others may continue for days."""
        for name, (_, _, query) in self._queries.items():
            if name not in self._failed and not query.isActive and query.exception() is not None:
                self._failed.add(name)
                print_to_stderr(f"{name}: failed and stopped; the reason is printed on exit (Ctrl-C or SIGTERM).")

    def _print_progress(self) -> None:
        for name, (_, _, query) in self._queries.items():
            progress = query.lastProgress
            if progress is not None:
                left = progress.sources[0].metrics.get("maxOffsetsBehindLatest", "0")
                state = f"{progress.processedRowsPerSecond:,.0f} a second, lag at most {left}"
                print_to_stderr(f"{name}: {self._messages.get(name, 0):,} messages, {state}")


@contextlib.contextmanager
def _only_stream(home: Home, source_name: str) -> Iterator[None]:
    lock = Lock(path_of(home, source_name, "lock"))
    try:
        if not lock.try_acquire():
            raise WatershedError(
                f"Source {source_name!r} is being landed by process {lock.holder().get('pid', 'unknown')}.",
                "Wait until it has ended, or stop it.",
            )
        lock.describe()
        yield
    finally:
        lock.release()
