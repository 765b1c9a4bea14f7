"""A copy of the dbt project with sources of a test's own, and runs of dbt and `watershed land` on it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from click.testing import CliRunner
from conftest import PROJECT_DIR, WATERSHED, Server
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg

from watershed.cli import main
from watershed.samples import write_seeds
from watershed.sources import SWITCH

DBT = str(Path(sys.executable).with_name("dbt"))
PARTS = ("dbt_project.yml", "models", "macros", "seeds", "tests", "profiles")
SAMPLES = PROJECT_DIR / "samples"
SAMPLE_MESSAGES = SAMPLES / "messages"
SAMPLE_SCHEMAS = sorted((SAMPLES / "avro_schemas").glob("*.avsc"))
# The tables; everything else is a view of them and need not be recreated between two runs.
TABLES = ("events", "appends", "row_states")
# Only the model `events`: its name also selects the models of its folder, the manifest among them.
EVENTS = "watershed.events.events"
# Not checked by these tests, and slow to build.
EXCLUDED = ("reports", "row_changes_explained")
# The published models with every column that does not depend on the time or the run.
PUBLISHED = (
    "changelog",
    "quarantine",
    "heartbeats",
    "schema_changes",
    "transaction_marks",
    "source_outcomes",
    "row_states",
    "current_rows",
    "row_history",
)
# What must not depend on the delivery either.
COMPARED = (*PUBLISHED, "int_carried_rows")
OF_TABLES = ("changelog", "schema_changes", "int_carried_rows", "row_states", "current_rows", "row_history")
# Columns that depend on the build that wrote a row.
OF_BUILDS = {
    "changelog": "append_number",
    "row_states": "append_number, changed_at",
    "int_carried_rows": "append_number",
    "current_rows": "changed_at",
}
# Queries at once: most of a small one is planning, which takes one core.
AT_ONCE = 3


@dataclass
class Project:
    """A project copy that builds into a schema of its own on the shared server."""

    folder: Path
    server: Server
    schema: str
    has_samples: bool = False

    @property
    def env(self) -> dict[str, str]:
        """The environment of commands on this project."""
        return self.server.env | {"WATERSHED_SCHEMA": self.schema} | ({SWITCH: "1"} if self.has_samples else {})

    def add_source(
        self,
        name: str,
        vendor_format: str,
        keys: dict[str, str],
        lob_columns: str = "",
        lob_tables: Iterable[str] = ("",),
    ) -> None:
        """Configure a source, the key columns of its tables, and the LOB columns of some tables or of all ("")."""
        with (self.folder / "seeds" / "cdc_sources.csv").open("a") as sources:
            sources.write(f"{name},{vendor_format},UTC,\n")
        with (self.folder / "seeds" / "table_keys.csv").open("a") as table_keys:
            for table, columns in keys.items():
                table_keys.write(f'{name},,,{table},"{columns}",,\n')
            for table in lob_tables if lob_columns else ():
                table_keys.write(f'{name},,,{table},,"{lob_columns}",\n')

    def use_time_zone(self, zone: str) -> None:
        """Have the sessions of later dbt runs in this time zone."""
        profile = self.folder / "profiles" / "profiles.yml"
        lines = [line for line in profile.read_text().splitlines() if "timeZone" not in line]
        # The last entry of the profile is server_side_parameters.
        profile.write_text("\n".join([*lines, f'        "set:hiveconf:spark.sql.session.timeZone": {zone}\n']))

    def land(self, source: str, *files: Path | str) -> None:
        """Land files, with options, as one batch."""
        self._watershed("land", "--source", source, *map(str, files))

    def land_tree(self, folder: Path, *options: str) -> str:
        """Land a folder of one folder per source as one batch; return its output."""
        return self._watershed("land", "--tree", str(folder), *options)

    def land_samples(self) -> str:
        """Land the samples as one batch; return its output."""
        return self.land_tree(SAMPLE_MESSAGES)

    def store_schemas(self, source: str, *files: Path) -> None:
        """Store Avro schemas for a Databus source."""
        self._watershed("schemas", "--source", source, *map(str, files))

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a process of its own."""
        command = [WATERSHED, *words]
        return subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)

    def start(self, *arguments: str, run: int = 0) -> subprocess.Popen[str]:
        """Start dbt in the background; the test may continue or kill it."""
        command = [DBT, *self._dbt_arguments(arguments, run)]
        return subprocess.Popen(command, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, text=True)

    def dbt(self, *arguments: str, run: int = 0, on_event: Callable[[EventMsg], None] | None = None) -> str:
        """Run dbt in this process at half the cost of a new one; fail with its output unless it succeeds."""
        said: list[str] = []

        def note(event: EventMsg) -> None:
            if event.info.level != "debug":
                said.append(event.info.msg)

        runner = dbtRunner(callbacks=[note, *([on_event] if on_event else [])])
        with self._inside(), warnings.catch_warnings():
            # Jinja warns of texts of other packages.
            warnings.simplefilter("ignore")
            done = runner.invoke(self._dbt_arguments(arguments, run))
        output = "\n".join(said)
        assert done.success, f"{output[-6000:]}\n{done.exception}"
        return output

    def _watershed(self, *words: str) -> str:
        """Run a command in this process, because a new one takes a second."""
        with self._inside():
            done = CliRunner().invoke(main, words, prog_name="watershed")
        assert done.exit_code == 0, done.output
        return done.stdout

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        with mock.patch.dict(os.environ, self.env, clear=True), contextlib.chdir(self.folder):
            yield

    def _dbt_arguments(self, arguments: tuple[str, ...], run: int) -> list[str]:
        """What dbt parsed before in the folder of the same run number it does not parse again."""
        target = str(self.folder / "target" / str(run))
        places = ["--profiles-dir", "profiles", "--target-path", target, "--log-path", target]
        return ["--no-use-colors", *arguments, *places]

    def rows(self, relation: str, columns: str = "*") -> list[tuple[Any, ...]]:
        """All rows of a published relation, sorted by their text."""
        return sorted(self.server.query(f"select {columns} from {self.schema}.{relation}"), key=repr)

    def published(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every compared relation, without the time at which a run appended it."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            rows = pool.map(self.rows, COMPARED, map(_columns, COMPARED))
            return dict(zip(COMPARED, rows, strict=True))

    def fingerprints(self) -> dict[tuple[Any, ...], tuple[Any, ...]]:
        """The number and the sum of the hashes of the rows that `published` gives, by relation, source and table."""
        found = {}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for name, groups in zip(COMPARED, pool.map(self._hashes, COMPARED), strict=True):
                for *place, count, total in groups:
                    found[name, *place] = count, total
        return found

    def _hashes(self, name: str) -> list[tuple[Any, ...]]:
        grouped = "source_name, table_name" if name in OF_TABLES else "source_name"
        hashed = f"xxhash64(to_json(struct({_columns(name)})))"
        return self.server.query(
            f"select {grouped}, count(*), sum(cast({hashed} as decimal(38, 0))) "
            f"from {self.schema}.{name} group by {grouped}"
        )


def _columns(name: str) -> str:
    return f"* except ({OF_BUILDS[name]})" if name in OF_BUILDS else "*"


def copy_project(folder: Path, server: Server, schema: str, has_samples: bool = False) -> Project:
    """Copy the project, with or without its samples; messages landed by earlier tests are removed from the server."""
    server.query("delete from landing.messages")
    # Unit tests are run once, where the samples are.
    left_out = ["python", "messages", "vendor", *([] if has_samples else ["unit", "fixtures"])]
    for part in (*PARTS, *(["samples"] if has_samples else [])):
        source = PROJECT_DIR / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns(*left_out))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / part)
    (folder / "models" / "typed_snapshots").mkdir(exist_ok=True)
    if has_samples:
        write_seeds(folder)
    return Project(folder, server, schema, has_samples)
