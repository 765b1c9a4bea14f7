"""Databus decoder: Arrow beside one pickled row at a time: `python -m benchmarks.databus_decoder`."""

from __future__ import annotations

import argparse
import os
import random
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's own guide uses
from watershed_udfs.arrow_databus import read_databus_column
from watershed_udfs.databus.stream import read_databus
from watershed_udfs.registry import UDFS

from benchmarks.families.databus_binary import checksum, write_v1
from benchmarks.machine import Timing, facts, timed
from benchmarks.results import Ratio, Step, table, write

ARROW = "read_databus, Arrow"
PICKLED = "read_databus, pickled rows"
RATIOS = [Ratio(PICKLED, ARROW)]
START_NANOS = 1_767_225_600_000_000_000  # 2026-01-01
FIRST_SEQUENCE = 9_007_199_254_740_993  # no double holds it
PARTITIONS = 4


def make_values(values: int, events: int, value_bytes: int, seed: int) -> Iterator[bytes]:
    """Give n values of some events each: three in four of version 1, one in four little-endian, half with byte keys."""
    chance = random.Random(seed)
    for index in range(values):
        mark = chance.choice("><>>")
        chunk = b""
        for number in range(events):
            write_event = _write_v2 if chance.random() < 0.25 else _write_v1
            long_key = chance.randrange(2**40)
            key: int | bytes = long_key
            if chance.random() < 0.5:
                key = f"{long_key}\t{chance.randrange(100)}".encode()
            chunk += write_event(mark, index * events + number, key, chance.randbytes(value_bytes))
        yield chunk


def _write_v1(mark: str, number: int, key: int | bytes, value: bytes) -> bytes:
    fields = (1, FIRST_SEQUENCE + number, 1, number % 16, START_NANOS + number, 40)
    return write_v1(fields, bytes(range(16)), key, value, mark)


def _write_v2(mark: str, number: int, key: int | bytes, value: bytes) -> bytes:
    is_bytes = isinstance(key, bytes)
    key_part = struct.pack(mark + "i", len(key)) + key if isinstance(key, bytes) else struct.pack(mark + "q", key)
    body = struct.pack(mark + "ih", len(value), 1 << 2) + bytes(range(16)) + value
    fields = (0x0089 if is_bytes else 0x0085, START_NANOS + number, 40, number % 16, FIRST_SEQUENCE + number)
    header = struct.pack(mark + "IiHqihq", checksum(body), 45 + len(key_part) + len(body), *fields) + key_part
    return b"\x02" + struct.pack(mark + "IiI", 0xCAFEDEED, 45 + len(key_part), checksum(header)) + header + body


def read_pickled(value: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - bytes or bytearray, as Spark has it
    """Read one value the slow way: by the decoder of single values, and Spark pickles each row to and fro."""
    return [tuple(event) for event in read_databus(None if value is None else bytes(value))]


class Benchmark:
    """One run: values, both ways, comparison, figures."""

    def __init__(self, options: argparse.Namespace, work: Path) -> None:
        """Take the options and a folder for the data, and start Spark."""
        self._options = options
        self._steps: dict[str, Step] = {}
        self._work = work
        os.environ["PYSPARK_PYTHON"] = sys.executable
        self._spark = (
            SparkSession.builder.master("local[*]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.memory", options.memory)
            .config("spark.sql.execution.arrow.maxBytesPerBatch", "16777216")  # as in `watershed serve`
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
            .config("spark.sql.warehouse.dir", str(work / "warehouse"))
            .getOrCreate()
        )
        self._spark.sparkContext.setLogLevel("ERROR")

    def run(self) -> None:
        """Do all of it and print the figures.

        Raises:
            ValueError: the results differ, so there are no figures.
        """
        options = self._options
        _say(f"{options.values:,} values of {options.events} events of {options.value_bytes} bytes")
        messages = self._make_messages()
        returns = next(udf.returns for udf in UDFS if udf.name == "read_databus")
        arrow = F.arrow_udf(read_databus_column, returns)  # type: ignore[attr-defined]
        ways = {ARROW: arrow, PICKLED: F.udf(read_pickled, returns, useArrow=False)}
        frames = {name: self._events(messages, way) for name, way in ways.items()}
        compared = self._compare(frames[ARROW], frames[PICKLED])
        _say(f"the results are equal: {compared:,} events")
        jvm_pid = self._spark._jvm.java.lang.ProcessHandle.current().pid()  # type: ignore[union-attr]
        for _ in range(options.runs + 1):
            for name, frame in frames.items():
                with timed(lambda timing, name=name: self._add(name, timing), jvm_pid):  # type: ignore[misc]
                    frame.write.format("noop").mode("overwrite").save()
        print(f"\nThe results are equal: {compared:,} events.\n")
        print(table(self._steps, RATIOS))
        if options.json:
            told = {"values": options.values, "events": options.events, "value_bytes": options.value_bytes}
            told |= {"seed": options.seed, "runs": options.runs, "compared": compared}
            write(options.json, {"benchmark": "databus_decoder", "machine": facts()} | told, self._steps, RATIOS)
            print(f"\nAll figures: {options.json}")

    def stop(self) -> None:
        """End Spark."""
        self._spark.stop()

    def _make_messages(self) -> DataFrame:
        options = self._options
        values = list(make_values(options.values, options.events, options.value_bytes, options.seed))
        size = -(-len(values) // PARTITIONS)
        for number in range(PARTITIONS):
            part = pa.table({"value": pa.array(values[number * size : (number + 1) * size], pa.binary())})
            pq.write_table(part, self._work / f"part-{number}.parquet", compression="none")
        return self._spark.read.parquet(*(str(file) for file in sorted(self._work.glob("part-*.parquet"))))

    def _events(self, messages: DataFrame, way: Any) -> DataFrame:  # noqa: ANN401 - a function of PySpark
        return messages.select(F.inline(way("value")))

    def _compare(self, frame: DataFrame, other: DataFrame) -> int:
        wanted = self._options.values * self._options.events
        found, failed = frame.count(), frame.where("error_code is not null").count()
        if found != wanted or failed:
            raise ValueError(f"{wanted} events wanted, {found} read, {failed} of them with an error")
        differing = frame.exceptAll(other).count() + other.exceptAll(frame).count()
        if differing:
            raise ValueError(f"{differing} events differ")
        return found

    def _add(self, name: str, timing: Timing) -> None:
        _say(f"  {name}: {timing.seconds:.2f} s, {timing.cpu_seconds:.2f} s of processor")
        self._steps.setdefault(name, Step(name)).add(timing)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.databus_decoder", description=__doc__)
    parser.add_argument("--values", type=int, default=1_000_000, help="(default: %(default)s)")
    parser.add_argument("--events", type=int, default=1, help="events in each value (default: %(default)s)")
    parser.add_argument("--value-bytes", type=int, default=200, help="of each event (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="counted runs behind the warm-up (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other events")
    parser.add_argument("--memory", default="2g", help="memory of Spark's JVM (default: %(default)s)")
    parser.add_argument("--json", type=lambda text: Path(text).absolute(), help="where the figures go")
    options = parser.parse_args()
    if min(options.values, options.events, options.runs) < 1:
        parser.error("at least one value, one event and one run are needed")
    with tempfile.TemporaryDirectory() as work:
        benchmark = Benchmark(options, Path(work))
        try:
            benchmark.run()
        except ValueError as error:
            sys.exit(f"benchmarks.databus_decoder: {error}")
        finally:
            benchmark.stop()


if __name__ == "__main__":
    main()
