"""The commands of README.md, each run as it is printed, in a fresh copy; those of docs/analysts.md: test_queries.py."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import JAVA_OPTIONS, PROJECT_DIR
from dbt_project import SAMPLE_MESSAGES
from printed_commands import printed

pytestmark = pytest.mark.e2e
README = PROJECT_DIR / "README.md"
TEXT = README.read_text("utf-8")
# Commands that are slow, never end or remove everything; test_printed_commands.py checks them.
NOT_RUN = ("make test", "make proof", "make docs", "make bench", "make clean")
LAND, BUILD = ".venv/bin/watershed land --source shop_orders export/*.jsonl", ".venv/bin/dbt build"
FINDINGS = ".venv/bin/watershed findings"
LAND_TREE, INCREMENT = "watershed land --tree DIR", ".venv/bin/dbt build --selector increment_typed"
# Typed in the shell of `make samples`, in this order: orders, changes of one, quarantine.
IN_SHELL = (*(line for line, _ in printed(README) if line.startswith("watershed sql ")), "make report")
STATUS, SNAPSHOTS = ".venv/bin/watershed status", ".venv/bin/watershed snapshots"
SCHEMAS_HELP = ".venv/bin/watershed schemas --help"
REPLAY = ".venv/bin/dbt run-operation replay --args '{reason_code: avro_unknown_schema}'"
RUN = ("make serve", LAND, LAND_TREE, BUILD, FINDINGS, STATUS, SNAPSHOTS, SCHEMAS_HELP, REPLAY, INCREMENT)
RUN = (*RUN, "make build", "make run", "make samples", *IN_SHELL)

OTHER_SOURCES = ("shop_blob,datahub_blob,UTC,", "bus,databus_binary,UTC,")
# The samples of these formats only: test_pipeline.py tests all of them.
FORMATS = ("databus_binary", "datahub_blob", "datahub_tuple", "lindorm_sql")


class Clone:
    """A copy of the project as git would give it, with the .venv that is there, and a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = [line.strip("/") for line in (PROJECT_DIR / ".gitignore").read_text().split()]
        shutil.copytree(PROJECT_DIR, folder, symlinks=True, ignore=shutil.ignore_patterns(".git", *ignored))
        (folder / ".venv").mkdir()
        for part in Path(sys.prefix).iterdir():
            (folder / ".venv" / part.name).symlink_to(part)
        (folder / ".venv" / ".complete").unlink(missing_ok=True)
        (folder / ".venv" / ".complete").touch()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        ours = ("WATERSHED_", "DBT_", "MAKE", "MFLAGS")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.env = kept | {"WATERSHED_PORT": str(port), "JAVA_TOOL_OPTIONS": JAVA_OPTIONS}

    def start(self, command: str) -> subprocess.Popen[str]:
        """Start a command as a person types it after `source .venv/bin/activate`."""
        typed = f"source .venv/bin/activate; {command}"
        return subprocess.Popen(["bash", "-c", typed], cwd=self.folder, env=self.env, stdout=subprocess.PIPE, text=True)

    def run(self, command: str) -> str:
        """Run a command; fail with its output unless it succeeds."""
        process = self.start(command)
        said = process.communicate()[0]
        assert process.returncode == 0, f"{command}: {said[-6000:]}"
        return said

    def unread(self) -> dict[str, str]:
        """Return the last cell of each source that `watershed status` shows."""
        process = self.start(STATUS)
        printed = process.communicate()[0]
        assert process.returncode in (0, 1), f"{STATUS}: {printed}"
        rows = (re.split(" {2,}", line) for line in printed.splitlines())
        return {row[0]: row[-1] for row in rows if row[0] in ("shop_orders", "shop_blob", "bus")}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """Configure a source of one's own with the lines that the README prints, and two others."""
    clone = Clone(tmp_path_factory.mktemp("clone") / "watershed")
    source, keys = re.findall(r"(?m)^   ```\n   (.*)\n   ```$", TEXT)
    for seed, lines in {"cdc_sources": [source, *OTHER_SOURCES], "table_keys": [keys]}.items():
        with (clone.folder / "seeds" / f"{seed}.csv").open("a") as file:
            file.writelines(f"{line}\n" for line in lines)
    for messages in (clone.folder / "samples" / "messages").iterdir():
        if messages.name not in FORMATS:
            shutil.rmtree(messages)
    shutil.copytree(SAMPLE_MESSAGES / "datahub_tuple", clone.folder / "export")
    shutil.copytree(SAMPLE_MESSAGES / "datahub_blob", clone.folder / "DIR" / "shop_blob")
    (clone.folder / "DIR" / "bus").mkdir()
    shutil.copy(SAMPLE_MESSAGES / "databus_binary" / "full_window.jsonl", clone.folder / "DIR" / "bus")
    return clone


@pytest.fixture(scope="module")
def served(clone: Clone) -> Iterator[Clone]:
    """Keep `make serve` running."""
    server = clone.start("make serve")
    assert server.stdout is not None
    assert server.stdout.readline().startswith("Watershed serves 127.0.0.1:")
    yield clone
    clone.run("watershed stop")
    assert server.wait(30) == 0


def test_every_command_of_the_readme_is_walked() -> None:
    commands = {line.partition("#")[0].strip() for line, _ in printed(README)} - {""}
    assert commands == {*RUN, *NOT_RUN}


def test_without_a_server_dbt_states_what_the_readme_has_the_answer_to(clone: Clone) -> None:
    build = clone.start(BUILD)
    said = build.communicate()[0]
    assert build.returncode != 0
    assert "Could not connect" in said
    assert not re.search("Traceback|java", said)
    assert "If dbt cannot connect or complains about credentials, no server is running: `make build`" in TEXT


def test_the_readme_leads_from_files_to_tables(served: Clone) -> None:
    clone = served
    assert "Landed " in clone.run(LAND)
    assert "Landed " in clone.run(LAND_TREE)
    assert "watershed findings" in clone.run(BUILD), "the build names the command that prints what its tests found"
    assert "Findings of the last build:" in clone.run(FINDINGS)
    assert clone.unread() == {"shop_orders": "0", "shop_blob": "0", "bus": "0"}
    assert "\nshop_orders " in clone.run('watershed sql "select * from watershed.current_rows"')
    assert "snapshot_shop_orders__orders: written\n" in clone.run(SNAPSHOTS)

    assert "--list" in clone.run(SCHEMAS_HELP)
    clone.run("watershed schemas --source bus samples/avro_schemas/*.avsc")
    assert re.search(r"\d+ messages? (is|are) read again by the next build", clone.run(REPLAY))
    assert clone.unread()["bus"] != "0"
    clone.run(INCREMENT)
    assert clone.unread()["bus"] == "0"
    clone.env["DBT_EXCLUDE_RESOURCE_TYPES"] = "test"  # they have been run above
    assert ", 0 errors\n" in clone.run("make build")
    assert "\n(4 rows)\n" in clone.run('watershed sql "select * from watershed.snapshot_shop_orders__orders"')
    late = "select * from watershed.quarantine where reason_code = 'avro_unknown_schema'"
    assert "\n(0 rows)\n" in clone.run(f'watershed sql "{late}"'), "they were read again"


def test_the_samples_are_apart_and_what_make_run_prints_shows_them(clone: Clone) -> None:
    clone.env["DBT_EXCLUDE_RESOURCE_TYPES"] = "test"  # `make test` runs them on all samples
    said = clone.run("make run")
    assert "watershed_samples.source_outcomes" in said
    printed_at_its_end = re.findall(
        r"(?m)^    (\S.*)$", said.partition("in it for example")[2].partition("  make run ")[0]
    )
    assert len(printed_at_its_end) == 4
    for home in (".watershed-samples", ".watershed"):
        found = (clone.folder / home / "landing" / "messages" / "format=lindorm_sql").exists()
        assert found is (home == ".watershed-samples"), home

    commands = dict.fromkeys((*IN_SHELL, *printed_at_its_end))
    # The samples have warnings, for which `watershed status` exits with 1.
    typed = (f"{one}{' || [ $? = 1 ]' if one == 'watershed status' else ''}; echo ====" for one in commands)
    answers = clone.run("make samples <<'EOF'\nset -e\n" + "\n".join(typed) + "\nEOF")
    shown = dict(zip(commands, answers.split("====\n"), strict=False))
    assert len(shown) == len(commands)
    orders, changes, quarantine, report = (shown[one] for one in IN_SHELL)
    assert "\n(5 rows)\n" in orders
    assert "\n(4 rows)\n" in changes, "one order of one source"
    assert re.search(r"\ndatahub_blob +malformed_json +\d+\n", quarantine)
    assert "Written: " in report
    assert (clone.folder / "target" / "samples" / "report.html").exists()
    assert "lindorm_sql" in shown["watershed status"]
    status = clone.start(STATUS)
    assert "lindorm_sql" not in status.communicate()[0], "the user's project has no source of the samples"
    assert status.returncode in (0, 1)
