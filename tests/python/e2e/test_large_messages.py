"""What docs/limits.md promises of batches and of values that Spark cannot carry, through the server."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from conftest import Server
from dbt_project import copy_project

pytestmark = pytest.mark.e2e

MEGABYTE = 1_000_000
# Both members have almost all of the message: 600 messages give more text than one Arrow array holds.
MANY_LARGE_MESSAGES = """
select count(opened.members[0]), min(length(opened.members[1])) from (
    select open_json(
        cast('{"a":"' || repeat('x', 2000000) || '","n":' || id || '}' as binary), '[["a","text"],["","object"]]'
    ) as opened
    from range(0, 600, 1, 1)
)
"""


def most_memory_of_workers(server: Server) -> int:
    """Return the peak memory in bytes of a Python worker or its parent process."""
    peaks = []
    for process in psutil.Process(server.jvm_pid).children(recursive=True):
        status = Path(f"/proc/{process.pid}/status").read_text()
        peaks += [int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")]
    return max(peaks)


def test_large_messages_are_handed_over_in_batches_of_few_bytes(server: Server) -> None:
    # A function in Python too, so that there is a worker whose memory can be read.
    decoded = "select sum(length(decode_base64(repeat('QUJD', 250000)).result)) from range(0, 100, 1, 1)"
    assert server.query(decoded) == [(75_000_000,)]
    assert server.query(MANY_LARGE_MESSAGES) == [(600, 2_000_014)]
    assert most_memory_of_workers(server) < 600 * MEGABYTE


def test_large_images_of_a_table_are_unpacked_a_few_at_a_time(server: Server) -> None:
    # Text that packs well: a file of few megabytes holds more than a heap.
    server.query("create schema if not exists limits")
    server.query(
        "create or replace table limits.images using delta as"
        " select repeat('x', 2000000) as image from range(0, 2000, 1, 1)"
    )
    [found] = server.query("select count(*), min(length(image)) from limits.images where image > 'a'")
    assert found == (2000, 2_000_000)
    server.query("drop table limits.images")


def test_a_value_that_no_function_opens_is_refused_by_its_size(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "limits")
    for name, vendor_format in (("vast", "datahub_tuple"), ("vast_stream", "databus_binary")):
        project.add_source(name, vendor_format, {})
        file = tmp_path / f"{name}.txt"
        # Two tasks with fourteen copies each, one per function that reads it, exceed the heap. With Spark's copies of
        # one row they take half of it (two of 100 MB: nearly all).
        file.write_bytes(b"x" * 48_000_000 + b"\n{}\n")
        project.land(name, "--as", "lines", file)
    project.dbt("build", "--select", "+events", "--exclude-resource-type", "test", "unit_test")
    events = server.query(
        "select source_name, offset, reason_code, reason_detail, length(unread_value) from limits.events"
        " where source_name like 'vast%' order by source_name, offset"
    )
    too_large = "48000000 bytes; no more than 33554432 are opened"
    assert [row[:4] for row in events] == [
        ("vast", 0, "value_too_large", too_large),
        ("vast", 1, "missing_image", "_before_image_ or _after_image_ is missing"),
        ("vast_stream", 0, "value_too_large", f"event 0, byte 0: {too_large}"),
        ("vast_stream", 1, "databus_remote_error", events[3][3]),
    ]
    assert max(events[0][4], events[2][4]) < 100
    landed = server.query("select octet_length(value) from landing.messages where source_name = 'vast' and offset = 0")
    assert landed == [(48_000_000,)]
