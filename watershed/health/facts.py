"""The facts of the verdict, gathered from the files of the home and, if one runs, from the server."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import yaml
from pyhive import hive

from watershed.errors import WatershedError
from watershed.health import questions
from watershed.health.build_results import BuildResults, NoResults, read_results
from watershed.health.left_out import LeftOut, left_out_query, snapshot_models
from watershed.health.questions import AnomalyCount, Lag, Progress, RecentQuarantine
from watershed.health.verdict import Facts, Limits, Missing
from watershed.home import Home
from watershed.landing.tables import landed_files, streamed_messages
from watershed.server.client import NoServerError, QueryError, RefusedError, configured_schema, connect, quote, run
from watershed.server.connection import address_of, check_home, server_of
from watershed.sources import Sources

Row = TypeVar("Row")
FEW_EVENTS = 100_000
"""Anomalies are counted by default if `events` has at most this many rows."""
_AT_ONCE = 4
# Planning and code generation take longer than reading a small table.
_SMALL = (
    "set spark.sql.codegen.wholeStage=false",
    "set spark.sql.codegen.factoryMode=NO_CODEGEN",
    "set spark.sql.adaptive.enabled=false",
)


class Landed(NamedTuple):
    """Files and messages of a source in landing."""

    files: int = 0
    messages: int = 0
    last_landed_at: dt.datetime | None = None


class Gathered(NamedTuple):
    """The facts, and what `status` shows alongside them: landing by source, the server that answered."""

    facts: Facts
    landed: dict[str, Landed]
    address: str | None
    assumption: str


def now() -> dt.datetime:
    """Return the time in the form of the server's times: UTC, without a zone."""
    return dt.datetime.now(dt.UTC).replace(tzinfo=None)


def read_limits(project_dir: Path) -> Limits:
    """Return the limits in dbt_project.yml, with defaults for missing ones.

    Raises:
        WatershedError: one of them is not of the type of its default.
    """
    path = project_dir / "dbt_project.yml"
    given = (yaml.safe_load(path.read_text("utf-8")) or {}).get("vars", {}) if path.exists() else {}
    limits = {}
    for name, default in Limits._field_defaults.items():
        try:
            limits[name] = type(default)(given.get(name, default))
        except (TypeError, ValueError) as error:
            problem = f"dbt_project.yml, variable {name}: expected a number, found {given[name]!r}."
            raise WatershedError(problem, f"Correct it; the default is {default}.") from error
    return Limits(**limits)


def last_build(built_at: dt.datetime | None, results: BuildResults | NoResults) -> dt.datetime | None:
    """Return when a build last ran; a build without new messages only writes its results."""
    moments = [built_at, results.ended_at if isinstance(results, BuildResults) else None]
    return max((moment for moment in moments if moment is not None), default=None)


def landed_of(home: Home) -> dict[str, Landed]:
    """Return the landed files and messages by source."""
    landed: dict[str, Landed] = {}
    for rows, files in ((landed_files(home), 1), (streamed_messages(home), 0)):
        for row in rows:
            before = landed.get(row["source_name"], Landed())
            last = max(filter(None, (before.last_landed_at, _without_zone(row["landed_at"]))), default=None)
            landed[row["source_name"]] = Landed(before.files + files, before.messages + row["message_count"], last)
    return landed


def gather(home: Home, project_dir: Path, sources: Sources, with_anomalies: bool | None = None) -> Gathered:
    """Gather the facts; without a server only those in the files of the home and of dbt.

    Args:
        home: The home.
        project_dir: The dbt project.
        sources: Its configured sources.
        with_anomalies: Whether anomalies are counted; None counts them where events has few rows.

    Raises:
        OtherHomeError: the server that answers serves another home.
    """
    landed = landed_of(home)
    local = _local_facts(project_dir, sources, landed)
    host, port = address_of(home)
    try:
        with connect(host, port) as cursor:
            assumption = check_home(cursor, home, f"{host}:{port}")
            facts = _ServerQueries(host, port, local, read_limits(project_dir)).facts(
                cursor, project_dir, with_anomalies
            )
    except (NoServerError, RefusedError) as error:
        is_stuck = server_of(home) is not None and isinstance(error, NoServerError)
        facts = replace(local, no_server=str(error).splitlines()[0], is_server_stuck=is_stuck)
        return Gathered(facts, landed, None, "")
    return Gathered(facts, landed, f"{host}:{port}", assumption)


def _local_facts(project_dir: Path, sources: Sources, landed: dict[str, Landed]) -> Facts:
    unknown = Missing("not known without a server.", is_failure=False)
    results = read_results(project_dir)
    return Facts(
        asked_at=now(),
        schema=configured_schema(),
        progress=[
            Progress(name, sources.formats[name], None, one.messages, None, one.last_landed_at, None, None)
            for name in sorted(sources.formats)
            for one in [landed.get(name, Landed())]
        ],
        recent=unknown,
        anomalies=dict.fromkeys(questions.ANOMALIES, unknown),
        results=results,
        is_built=None,
        last_built_at=last_build(None, results),
        problems=[str(problem) for problem in sources.other_problems(())],
    )


class _ServerQueries:
    """Queries the facts that only the server has, several queries in parallel."""

    def __init__(self, host: str, port: int, local: Facts, limits: Limits) -> None:
        self._host, self._port, self._local = host, port, local
        self._known = [] if isinstance(local.progress, Missing) else local.progress
        self._names = {"schema": quote(local.schema), "days": str(limits.quarantine_days)}
        self._settings = ["set time zone 'UTC'"]

    def facts(self, cursor: hive.Cursor, project_dir: Path, with_anomalies: bool | None) -> Facts:
        """Return all facts; a query that fails is missing, with its reason."""
        try:
            run(cursor, self._settings[0])
            ((built_at, events),) = run(cursor, questions.LAST_BUILD.format(**self._names))[1]
        except QueryError:  # no build has created the schema
            unbuilt = Missing("nothing has been built.", is_failure=False)
            anomalies = dict.fromkeys(questions.ANOMALIES, unbuilt)
            progress = [row._replace(unread=row.landed) for row in self._known]
            return replace(self._local, is_built=False, progress=progress, recent=unbuilt, anomalies=anomalies)
        is_small = events <= FEW_EVENTS
        if is_small:
            self._settings += _SMALL
        queries = dict(questions.ANOMALIES)
        if not any(row.format.startswith("databus_") for row in self._known):
            del queries["databus_windows"]  # windows are those of Databus streams
        skipped = Missing(
            f"not counted, because events has {events:,} rows: .venv/bin/watershed status --anomalies counts them.",
            is_failure=False,
        )
        if with_anomalies is False:
            skipped = Missing("not counted, because of --no-anomalies.", is_failure=False)
        counts_anomalies = is_small if with_anomalies is None else with_anomalies
        tables = {row[1] for row in run(cursor, "show tables in {schema}".format(**self._names))[1]}
        left_out = left_out_query(snapshot_models(project_dir), self._local.schema, tables)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            # The longest first.
            counted = {
                model: pool.submit(self._rows, AnomalyCount, query)
                for model, query in queries.items()
                if counts_anomalies
            }
            of_sources = pool.submit(self._rows, Progress, questions.PROGRESS)
            recent = pool.submit(self._rows, RecentQuarantine, questions.RECENT_QUARANTINE)
            lags = pool.submit(self._rows, Lag, questions.SNAPSHOT_LAG)
            older = pool.submit(self._rows, LeftOut, left_out) if left_out else None
            return replace(
                self._local,
                progress=self._with_unbuilt(of_sources.result()),
                recent=recent.result(),
                lags=self._of_full_build(lags.result()),
                left_out=older.result() if older else (),
                anomalies={model: counted[model].result() if counts_anomalies else skipped for model in queries},
                is_built=True,
                last_built_at=last_build(built_at, self._local.results),
            )

    def _with_unbuilt(self, progress: Sequence[Progress] | Missing) -> Sequence[Progress] | Missing:
        """Add configured sources that no build has loaded yet."""
        if isinstance(progress, Missing):
            return progress
        built = {row.source_name for row in progress}
        return [*progress, *(row._replace(unread=row.landed) for row in self._known if row.source_name not in built)]

    def _of_full_build(self, lags: list[Lag] | Missing) -> list[Lag] | Missing:
        """Return the lags; only a full build creates the view, so its absence is not a failure."""
        if isinstance(lags, Missing) and "TABLE_OR_VIEW_NOT_FOUND" in lags.reason:
            return Missing("no full build has compared them with messages yet: dbt build.", is_failure=False)
        return lags

    def _named(self, query: str) -> str:
        for name, value in self._names.items():
            query = query.replace(f"{{{name}}}", value)
        return query

    def _rows(self, row_type: Callable[..., Row], query: str) -> list[Row] | Missing:
        try:
            with connect(self._host, self._port) as cursor:
                for setting in self._settings:
                    run(cursor, setting)
                return [row_type(*row) for row in run(cursor, self._named(query))[1]]
        except QueryError as error:
            return Missing(str(error).splitlines()[0])


def _without_zone(moment: dt.datetime) -> dt.datetime:
    return moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment
