"""A Spark job written by hand for the same Blob messages: flatten into Delta, then `max_by` or MERGE by key.

This is what a user would write without Watershed, in three ways. It checks nothing: an unreadable message becomes nulls
or an error, digits of numbers may be lost, duplicates count twice, and there is no quarantine. It runs in a session of
its own, with Spark's own settings and the JVM options of the server:
`python -m benchmarks.by_hand LANDING OUT --way from_json`.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

from benchmarks.machine import Timing, timed
from watershed.server.jars import DELTA, jars_of
from watershed.server.spark_session import JAVA_OPTIONS

_SCHEMA = (
    "struct<schema: struct<source: struct<dbName: string, tableName: string>>, payload: struct<op: string, "
    "sequenceId: string, before: struct<dataColumn: string>, after: struct<dataColumn: string>, "
    "timestamp: struct<eventTime: bigint, systemTime: bigint>>>"
)
_PLACE = "source_name, topic, partition, offset, sha2(value, 256) as change_id"
# from_json and VARIANT parse a message once, get_json_object once per column: Spark does not share its calls.
WAYS = {
    "from_json": f"""
        select {_PLACE}, opened.payload.op, opened.schema.source.dbName as database_name,
            opened.schema.source.tableName as table_name, cast(opened.payload.sequenceId as decimal(38, 0)) as sequence,
            opened.payload.timestamp.eventTime as event_millis, opened.payload.before.dataColumn as before_image,
            opened.payload.after.dataColumn as after_image
        from (select *, from_json(cast(value as string), '{_SCHEMA}') as opened from landed)""",
    "get_json_object": f"""
        select {_PLACE}, get_json_object(opened, '$.payload.op') as op,
            get_json_object(opened, '$.schema.source.dbName') as database_name,
            get_json_object(opened, '$.schema.source.tableName') as table_name,
            cast(get_json_object(opened, '$.payload.sequenceId') as decimal(38, 0)) as sequence,
            cast(get_json_object(opened, '$.payload.timestamp.eventTime') as bigint) as event_millis,
            get_json_object(opened, '$.payload.before.dataColumn') as before_image,
            get_json_object(opened, '$.payload.after.dataColumn') as after_image
        from (select *, cast(value as string) as opened from landed)""",
    "variant": f"""
        select {_PLACE}, opened:payload.op::string as op, opened:schema.source.dbName::string as database_name,
            opened:schema.source.tableName::string as table_name, opened:payload.sequenceId::decimal(38, 0) as sequence,
            opened:payload.timestamp.eventTime::bigint as event_millis,
            to_json(opened:payload.before.dataColumn) as before_image,
            to_json(opened:payload.after.dataColumn) as after_image
        from (select *, try_parse_json(cast(value as string)) as opened from landed)""",
}
FLATTEN, FOLD, INCREMENT = "flatten", "fold", "increment"
_KEY = "database_name, table_name, order_id, line"
_NEWEST = f"""
    select {_KEY}, max_by(struct(op, sequence, image), struct(sequence, topic, partition, offset)) as newest
    from (
        select *, coalesce(after_image, before_image) as image, get_json_object(image, '$.order_id') as order_id,
            coalesce(get_json_object(image, '$.line'), '') as line
        from {{events}}
    ) where order_id is not null group by {_KEY}"""


class ByHand:
    """The job: each step writes a Delta table in a folder."""

    def __init__(self, spark: SparkSession, landing: Path, out: Path, batch: str | None) -> None:
        """Store the paths; messages of `batch` are the increment, all others the first load."""
        self._spark, self._out = spark, out
        landed = spark.read.format("delta").load(str(landing))
        self._first = landed.where(f"batch_id <> '{batch}'") if batch else landed
        self._more = landed.where(f"batch_id = '{batch}'")

    def flatten(self, way: str) -> None:
        """Write the events of the first load."""
        shutil.rmtree(self._out, ignore_errors=True)
        self._events_of(self._first, way).write.format("delta").save(str(self._out / "events"))

    def fold(self) -> None:
        """Write the newest state of each row."""
        states = self._spark.sql(_NEWEST.format(events=f"delta.`{self._out}/events`"))
        states.write.format("delta").save(str(self._out / "states"))

    def add(self, way: str) -> None:
        """Append the events of the increment, and merge the newest change of each row."""
        new = self._events_of(self._more, way)
        new.write.format("delta").mode("append").save(str(self._out / "events"))
        new.createOrReplaceTempView("new_events")
        same = " and ".join(f"states.{name} <=> new.{name}" for name in _KEY.split(", "))
        self._spark.sql(
            f"merge into delta.`{self._out}/states` as states using ({_NEWEST.format(events='new_events')}) as new "
            f"on {same} when matched and new.newest.sequence >= states.newest.sequence then update set * "
            "when not matched then insert *"
        )

    def export(self) -> int:
        """Write the current rows as Parquet; return how many there are."""
        rows = self._spark.sql(
            f"select database_name, table_name, newest.image as row_image from delta.`{self._out}/states` "
            "where newest.op not in ('DELETE', 'UPDATE_BEFOR')"
        )
        rows.write.mode("overwrite").parquet(str(self._out / "current_rows"))
        return rows.count()

    def _events_of(self, messages: DataFrame, way: str) -> DataFrame:
        messages.createOrReplaceTempView("landed")
        return self._spark.sql(WAYS[way])


def session(memory: str) -> SparkSession:
    """Start Spark with the options of the server's JVM, and its own settings for all else."""
    return (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", memory)
        .config("spark.driver.extraJavaOptions", " ".join(JAVA_OPTIONS))
        .config("spark.jars", ",".join(map(str, jars_of(DELTA))))
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.shuffle.partitions", str(psutil.cpu_count()))
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )


def main() -> None:
    """Run the job twice and the increment once in each way; print a line of JSON for each step."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.by_hand", description=__doc__)
    parser.add_argument("landing", type=Path, help="folder of the table landing.messages")
    parser.add_argument("out", type=Path, help="folder of the tables that the job writes")
    parser.add_argument("--way", choices=WAYS, nargs="+", default=list(WAYS))
    parser.add_argument("--increment", help="the batch that is the increment")
    parser.add_argument("--memory", default="4g")
    options = parser.parse_args()
    spark = session(options.memory)
    spark.sparkContext.setLogLevel("ERROR")
    job = ByHand(spark, options.landing, options.out, options.increment)
    jvm = next(one for one in psutil.Process().children(recursive=True) if one.name() == "java")

    def measure(way: str, step: str, run: int, work: Callable[[], object]) -> None:
        timings: list[Timing] = []
        with timed(timings.append, jvm.pid):
            work()
        (timing,) = timings
        print(json.dumps({"way": way, "step": step, "run": run} | vars(timing)), flush=True)

    for way in options.way:
        for run in range(2):
            measure(way, FLATTEN, run, partial(job.flatten, way))
            measure(way, FOLD, run, job.fold)
        print(json.dumps({"way": way, "rows": job.export()}), flush=True)
        if options.increment:
            measure(way, INCREMENT, 1, partial(job.add, way))
    spark.stop()


if __name__ == "__main__":
    main()
