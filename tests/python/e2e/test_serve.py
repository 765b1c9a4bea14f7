"""The server as its clients see it: Delta and the UDFs for each of them, and a clean end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import LANGUAGE, PROJECT_DIR, SESSION, WATERSHED, Server, start_server, watershed_env

from watershed.server.client import connect, run

pytestmark = pytest.mark.e2e


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def serve_fails(env: dict[str, str], *options: str) -> str:
    done = subprocess.run(
        [WATERSHED, "serve", *options], cwd=PROJECT_DIR, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    return done.stderr


def use_delta_and_udf(server: Server, table: str) -> list[tuple[object, ...]]:
    with connect(server.host, server.port) as cursor:
        run(cursor, f"create table {table} (id int) using delta")
        run(cursor, f"insert into {table} values (1), (2)")
        rows = run(cursor, f"select id, decode_base64('QQ==').result from {table} order by id")[1]
        run(cursor, f"drop table {table}")
    return rows


def test_two_clients_one_after_the_other_see_delta_and_the_udfs(server: Server) -> None:
    for number in range(2):
        assert [row[0] for row in use_delta_and_udf(server, f"default.after_{number}")] == [1, 2]


def test_two_clients_at_once_see_delta_and_the_udfs(server: Server) -> None:
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda number: use_delta_and_udf(server, f"default.at_once_{number}"), range(2)))
    assert [[row[0] for row in rows] for rows in results] == [[1, 2], [1, 2]]


def test_a_permanent_view_calls_a_udf_by_its_bare_name(server: Server) -> None:
    """One in Python and two in Java; each query has a session of its own."""
    server.query(
        "create or replace view default.decoded as select cast(decode_base64('QQ==').result as string) as result, "
        """read_columns(concat('{"a":', id, '}'))['a'] as a, list_texts('["b"]')[0] as b from range(2)"""
    )
    assert server.query("select * from default.decoded order by a") == [("A", "0", "b"), ("A", "1", "b")]


def test_clients_do_not_share_temporary_views(server: Server) -> None:
    with connect(server.host, server.port) as first, connect(server.host, server.port) as second:
        run(first, "create temporary view only_mine as select 1 as id")
        assert run(first, "select * from only_mine")[1] == [(1,)]
        assert not [row for row in run(second, "show views")[1] if "only_mine" in row]


def test_a_session_of_dbt_has_the_settings_of_the_profile(server: Server) -> None:
    assert SESSION
    for name, value in SESSION.items():
        assert server.query(f"set {name.removeprefix('set:hiveconf:')}")[0][1] == value, name


def test_letters_do_not_go_by_the_language_of_the_machine(server: Server) -> None:
    # In Turkish a small I has no dot: a key ID would be in no image whose text holds an é.
    assert server.query("select lower('ID'), lower('IDé')") == [("id", "idé")]


def test_the_server_listens_on_loopback_only(server: Server) -> None:
    psutil = pytest.importorskip("psutil")
    listening = [
        connection.laddr.ip
        for connection in psutil.Process(server.jvm_pid).net_connections(kind="tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening
    assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}


def test_the_environment_of_the_user_reaches_java(server: Server) -> None:
    """JAVA_HOME, proxies, options of Java: the user's settings apply in the JVM and its Python workers too."""
    environment = Path(f"/proc/{server.jvm_pid}/environ").read_bytes().split(b"\0")
    assert f"JAVA_TOOL_OPTIONS={LANGUAGE}".encode() in environment
    assert any(one.startswith(b"PATH=") for one in environment)


def test_landing_shows_at_once_while_the_server_runs(server: Server, project: Path) -> None:
    before = server.query("select count(*) from landing.messages")[0][0]
    file = project / "orders.txt"
    file.write_bytes(b"one\ntwo\r\n\nthree")
    subprocess.run(
        [WATERSHED, "land", "--source", "shop", "--as", "lines", str(file)],
        cwd=project,
        env=server.env,
        check=True,
    )
    assert server.query("select count(*) from landing.messages")[0][0] == before + 4
    rows = server.query(
        "select source_name, format, topic, partition, offset, key, cast(value as string), sent_at, landed_at is null"
        " from landing.messages where file_name = 'orders.txt' order by offset"
    )
    common = ("shop", "datahub_blob", "shop", 0)
    assert rows == [(*common, n, None, text, None, False) for n, text in enumerate(["one", "two", "", "three"])]
    assert server.query("describe landing.messages")[7][:2] == ("sent_at", "timestamp")


def test_spark_knows_how_large_a_table_has_grown(server: Server) -> None:
    with connect(server.host, server.port) as cursor:
        run(cursor, "create table default.grown using delta as select id from range(10)")
        run(cursor, "alter table default.grown change column id comment 'a number'")
        run(cursor, "insert into default.grown select id from range(3000000)")
        header, [detail] = run(cursor, "describe detail default.grown")
        [[plan]] = run(cursor, "explain cost select * from default.grown")[1]
        run(cursor, "drop table default.grown")
    estimate = re.search(r"sizeInBytes=([0-9.]+) MiB", plan)
    assert estimate, plan
    assert float(estimate[1]) == pytest.approx(int(str(detail[header.index("sizeInBytes")])) / 2**20, abs=0.1)


@pytest.mark.proof
def test_hive_needs_no_functions_to_give_a_metastore_client() -> None:
    script = """
from pyspark.sql import SparkSession
from watershed.server.spark_session import _mark_hive_functions_registered
memory = "jdbc:derby:memory:test;create=true"
builder = SparkSession.builder.config("spark.ui.enabled", "false")
spark = builder.config("spark.hadoop.javax.jdo.option.ConnectionURL", memory).enableHiveSupport().getOrCreate()
_mark_hive_functions_registered(spark._jvm)
hive = spark._jvm.org.apache.hadoop.hive
hive.ql.metadata.Hive.closeCurrent()
hive.ql.metadata.Hive.get(hive.conf.HiveConf())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_statistics_of_spark_also_leave_keys_and_values_out(server: Server) -> None:
    server.query("create table default.messages_copy like landing.messages using delta")
    server.query(
        "insert into default.messages_copy values"
        " ('s', 'datahub_blob', 't', 0, 1, x'41', x'42', null, current_timestamp(), 'b', null)"
    )
    log = next((server.home / "warehouse" / "messages_copy" / "_delta_log").glob("*1.json")).read_text()
    assert "batch_id" in log
    assert '\\"value\\"' not in log
    assert '\\"key\\"' not in log


def test_sql_prints_a_table_and_a_spark_error_in_short(server: Server) -> None:
    def sql(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [WATERSHED, "sql", *arguments]
        return subprocess.run(command, cwd=PROJECT_DIR, env=server.env, capture_output=True, text=True)

    done = sql("select 1 as id, cast(null as string) as none, 'x' as text;")
    assert done.stdout.splitlines() == ["id  none  text", "--  ----  ----", " 1  NULL  x", "(1 row)"]
    assert sql("--format", "json", "select 1.50 as d, null as n").stdout == '[{"d":1.50,"n":null}]\n'
    assert sql("--format", "jsonl", "select 1.50 as d, null as n").stdout == '{"d":1.50,"n":null}\n'
    failed = sql("select * from nowhere")
    assert failed.returncode == 2
    assert failed.stderr.startswith("watershed sql: [TABLE_OR_VIEW_NOT_FOUND] The table or view `nowhere`")
    assert "\tat " not in failed.stderr


def test_a_taken_port_is_named_with_a_remedy(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = serve_fails(watershed_env(tmp_path), "--port", str(port))
    assert f"Port {port} on 127.0.0.1 is taken by process {os.getpid()}" in message
    assert "--port" in message.splitlines()[-1]


def test_a_second_server_on_the_same_home_is_refused(server: Server) -> None:
    message = serve_fails(server.env, "--port", "0")
    assert f"Another server runs on this home: process {server.process.pid}, port {server.port}" in message


@pytest.mark.proof
def test_the_jvm_ends_with_its_server(tmp_path: Path) -> None:
    """What a build loses by that, nothing, is in test_crash.py."""
    killed = start_server(tmp_path / "home")
    killed_jvm = killed.jvm_pid
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait()

    again = start_server(tmp_path / "home")
    assert not is_alive(killed_jvm)
    jvm = again.jvm_pid
    started = time.monotonic()
    assert again.stop() == 0
    assert time.monotonic() - started < 10
    assert not is_alive(jvm)


@pytest.mark.proof
def test_sigterm_during_the_start_ends_it_too(tmp_path: Path) -> None:
    env = watershed_env(tmp_path)
    process = subprocess.Popen([WATERSHED, "serve", "--port", "0"], cwd=PROJECT_DIR, env=env, stdout=subprocess.PIPE)
    log = tmp_path / "logs" / "server.log"
    deadline = time.monotonic() + 60
    while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.terminate()
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert output == b""
