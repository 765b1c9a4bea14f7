"""Every query of `watershed status` and `watershed report`, and the type of its rows.

`{schema}` is the quoted schema of the published models.
"""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple


class Progress(NamedTuple):
    """Progress of a configured source; unread and state are None without a server."""

    source_name: str
    format: str
    state: str | None
    landed: int
    unread: int | None
    last_landed_at: dt.datetime | None
    complete_up_to: dt.datetime | None
    lag_seconds: int | None


PROGRESS = """
with landed as (
    select source_name, count(*) as messages from landing.messages group by source_name
),

read as (
    select source_name, sum(messages) as messages from {schema}.source_outcomes group by source_name
)

select
    progress.source_name,
    progress.format,
    progress.state,
    coalesce(landed.messages, 0),
    coalesce(landed.messages, 0) - coalesce(read.messages, 0),
    progress.last_landed_at,
    progress.complete_up_to,
    progress.lag_seconds
from {schema}.source_progress as progress
left join landed on progress.source_name = landed.source_name
left join read on progress.source_name = read.source_name
order by progress.source_name
"""

OTHER_SOURCES = """
select distinct source_name
from {schema}.source_outcomes
where source_name not in (select source_name from {schema}.cdc_sources)
order by source_name
"""


class RecentQuarantine(NamedTuple):
    """Recent messages of a source: those in quarantine for one reason, or all of them if it is None."""

    source_name: str
    reason_code: str | None
    messages: int
    quarantined: int
    remedy: str | None


RECENT_QUARANTINE = """
with counted as (
    select
        source_name,
        reason_code,
        grouping(reason_code) = 1 as is_total,
        count_if(event_index = 0) as messages,
        count(distinct if(outcome = 'quarantined', struct(batch_id, topic, partition, offset), null)) as quarantined
    from {schema}.events
    where landed_at > current_timestamp() - interval '{days}' day
        and source_name in (select source_name from {schema}.cdc_sources)
    group by grouping sets ((source_name), (source_name, reason_code))
)

select counted.source_name, counted.reason_code, counted.messages, counted.quarantined, reason_codes.remedy
from counted
left join {schema}.reason_codes as reason_codes on counted.reason_code = reason_codes.reason_code
where counted.is_total or (counted.reason_code is not null and counted.quarantined > 0)
order by counted.source_name, counted.quarantined desc, counted.reason_code
"""


class AnomalyCount(NamedTuple):
    """Rows of a report of one kind in a table or stream, and the number of recent ones.

    `meaning` and `remedy` are those of seeds/anomaly_kinds.csv; a kind without a remedy is not a finding.
    """

    kind: str
    source_name: str
    place: str | None
    found: int
    recent: int
    meaning: str | None
    remedy: str | None


_COUNTED = """
select
    found.kind, found.source_name, found.place,
    count(*) as found, count_if(found.is_recent) as recent, kinds.meaning, kinds.remedy
from ({rows}) as found
left join {schema}.anomaly_kinds as kinds on found.kind = kinds.anomaly
where found.source_name in (select source_name from {schema}.cdc_sources)
group by all
order by found desc, kind, source_name, place
"""

_OF_CHANGES = """
    select
        rows.anomaly as kind,
        rows.source_name,
        concat_ws('.', rows.database_name, rows.schema_name, rows.table_name) as place,
        recent.change_id is not null as is_recent
    from {schema}.{model} as rows
    left join (
        select distinct change_id from {schema}.events
        where landed_at > current_timestamp() - interval '{days}' day
    ) as recent on rows.change_id = recent.change_id
"""

_WINDOWS = """
    select kind, source_name, concat(topic, ' / ', partition) as place, true as is_recent
    from {schema}.databus_windows
        lateral view explode(array_compact(array(
            if(window_state = 'missing_end_of_period', window_state, null),
            if(is_regressed, 'is_regressed', null),
            if(is_overlapping, 'is_overlapping', null),
            if(is_gap_before, 'is_gap_before', null)
        ))) kinds as kind
"""

_DRIFT = """
    select
        change_kind as kind,
        source_name,
        concat_ws('.', database_name, schema_name, table_name) as place,
        landed_at > current_timestamp() - interval '{days}' day as is_recent
    from {schema}.schema_drift
"""

_ROWS = {
    **{
        model: _OF_CHANGES.replace("{model}", model)
        for model in ("ordering_anomalies", "image_anomalies", "ddl_anomalies")
    },
    "databus_windows": _WINDOWS,
    "schema_drift": _DRIFT,
}
ANOMALIES = {model: _COUNTED.replace("{rows}", rows) for model, rows in _ROWS.items()}


class OutcomeCount(NamedTuple):
    """Events of a source that landed in one step of time and have one outcome."""

    source_name: str
    landed_at: dt.datetime
    outcome: str
    events: int


OUTCOMES = """
select source_name, date_trunc('{step}', landed_at) as landed_in, outcome, count(*)
from {schema}.events
where source_name in (select source_name from {schema}.cdc_sources)
group by source_name, landed_in, outcome
order by source_name, landed_in, outcome
"""

OUTCOMES_SPAN = """
select min(landed_at), max(landed_at)
from {schema}.events
where source_name in (select source_name from {schema}.cdc_sources)
"""


class QuarantineCount(NamedTuple):
    """Quarantined events of a source with one reason, and the messages that they belong to."""

    reason_code: str
    meaning: str | None
    remedy: str | None
    source_name: str
    events: int
    messages: int
    first_landed_at: dt.datetime
    last_landed_at: dt.datetime
    place: str | None


QUARANTINE = """
select
    quarantine.reason_code,
    reason_codes.meaning,
    reason_codes.remedy,
    quarantine.source_name,
    count(*) as events,
    count(distinct struct(quarantine.batch_id, quarantine.topic, quarantine.partition, quarantine.offset)),
    min(quarantine.landed_at),
    max(quarantine.landed_at),
    min(concat_ws(' / ', quarantine.topic, quarantine.partition, quarantine.offset))
from {schema}.quarantine as quarantine
left join {schema}.reason_codes as reason_codes on quarantine.reason_code = reason_codes.reason_code
where quarantine.source_name in (select source_name from {schema}.cdc_sources)
group by quarantine.reason_code, reason_codes.meaning, reason_codes.remedy, quarantine.source_name
order by events desc, quarantine.reason_code, quarantine.source_name
"""


class Build(NamedTuple):
    """A build that processed messages."""

    built_at: dt.datetime
    events: int
    sources: int
    quarantined: int


BUILDS = """
select appended_at, count(*), count(distinct source_name), count_if(outcome = 'quarantined')
from {schema}.events
group by appended_at
order by appended_at desc
limit 50
"""

LAST_BUILD = "select max(appended_at), count(*) from {schema}.events"


class Lag(NamedTuple):
    """A column that a typed snapshot lacks, or a table without one, with the command that helps."""

    source_name: str
    place: str
    problem: str
    remedy: str


SNAPSHOT_LAG = """
select source_name, concat_ws('.', database_name, schema_name, table_name) as place, problem, remedy
from {schema}.snapshot_lag
order by all
"""
