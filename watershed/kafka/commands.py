"""The commands that read Kafka: `watershed land-kafka` and `watershed follow`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from watershed.options import PATH, SOURCE, examples

if TYPE_CHECKING:
    from watershed.kafka.feeds import Feed


class Reading(TypedDict):
    """Options of both commands: input and way of reading."""

    source: str | None
    bootstrap_servers: str
    topics: tuple[str, ...]
    topic_pattern: str
    feeds: Path | None
    start: str
    config: Path | None
    driver_memory: str


_READING = (
    SOURCE,
    click.option("--bootstrap-servers", metavar="HOST:PORT", default="", help="Brokers, separated by commas."),
    click.option("--topic", "topics", metavar="NAME", multiple=True, help="A topic; may repeat."),
    click.option(
        "--topic-pattern", metavar="REGEX", default="", help="Topics whose whole names match, including new ones."
    ),
    click.option(
        "--feeds", metavar="FILE", type=PATH, help="A CSV: source_name,bootstrap_servers,topics,topic_pattern."
    ),
    click.option(
        "--start", default="earliest", show_default=True, help="Start of a new source: earliest, latest, or a time."
    ),
    click.option(
        "--config", metavar="FILE", type=PATH, help="Properties of Kafka's clients, for example for security."
    ),
    click.option("--driver-memory", default="2g", show_default=True, help="Memory of the reading JVM."),
)


def _takes_reading(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_READING):
        command = option(command)
    return command


def _feeds(given: Reading) -> list[Feed]:
    """Return the feeds named by the options.

    Raises:
        UsageError: neither a source nor a table of them, or both.
    """
    from watershed.home import find_project_dir
    from watershed.kafka.feeds import feeds_of, one_feed
    from watershed.sources import read_sources

    source, servers = given["source"], given["bootstrap_servers"]
    topics, pattern = given["topics"], given["topic_pattern"]
    if (source is None) == (given["feeds"] is None):
        raise click.UsageError("Name either a source (--source NAME) or a table of sources (--feeds FILE).")
    if given["feeds"] is not None and (servers or topics or pattern):
        raise click.UsageError("--feeds FILE names brokers and topics; omit the options for them.")
    sources = read_sources(find_project_dir())
    if given["feeds"] is not None:
        return feeds_of(given["feeds"], sources)
    return [one_feed(sources, source or "", servers, topics, pattern)]


@click.command(
    epilog=examples(
        "land-kafka --source shop_orders --bootstrap-servers kafka:9092 --topic orders",
        "land-kafka --source shop --bootstrap-servers kafka:9092 --topic-pattern 'shop\\..*' --config tls.properties",
        "land-kafka --feeds kafka_feeds.csv --continuous",
    )
)
@_takes_reading
@click.option(
    "--continuous",
    metavar="[SECONDS]",
    is_flag=False,
    flag_value=5,
    type=click.IntRange(1),
    help="Continue until Ctrl-C or SIGTERM, with a batch every this many seconds (default: 5).",
)
@click.option("--accept-loss", is_flag=True, help="Continue after messages that the broker has removed.")
@click.option("--new-epoch", is_flag=True, help="Land a topic that was deleted and recreated, from its start.")
def land_kafka(continuous: int | None, accept_loss: bool, new_epoch: bool, **given: Unpack[Reading]) -> None:
    """Land messages from Kafka exactly once.

    Lands the existing messages and exits; a kill neither loses nor duplicates messages. Properties may also come from
    the environment: WATERSHED_KAFKA_SASL_JAAS_CONFIG is sasl.jaas.config. They are never printed.
    """
    from watershed.home import find_home, find_project_dir
    from watershed.kafka.feeds import client_properties
    from watershed.kafka.land_kafka import StreamOptions, land_kafka

    feeds = _feeds(given)
    options = StreamOptions(given["start"], continuous, accept_loss, new_epoch, given["driver_memory"])
    land_kafka(find_home(find_project_dir()), feeds, client_properties(given["config"]), options)


@click.command(
    epilog=examples(
        "follow --feeds kafka_feeds.csv",
        "follow --every 300 --feeds kafka_feeds.csv -- dbt --quiet run",
        "follow # for sources that land files",
    )
)
@_takes_reading
@click.option(
    "--every",
    metavar="SECONDS",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    help="Interval between the starts of rounds.",
)
@click.argument("build", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def follow(ctx: click.Context, /, every: int, build: tuple[str, ...], **given: Unpack[Reading]) -> None:
    """Land from Kafka, build and print the progress of each source, in rounds.

    Rounds never overlap; a failed step is tried again in the next round. It needs a server. The build is `dbt --quiet
    build`, or COMMAND. Ctrl-C or SIGTERM stop it after the running command.
    """
    from watershed.home import find_home, find_project_dir
    from watershed.kafka.feeds import client_properties
    from watershed.kafka.follow import follow

    steps: dict[str, Sequence[str]] = {}
    words = [word for option in ctx.command.params if option.name in given for word in _words(ctx, option)]
    if words:
        # Their errors are reported now, and not in each round.
        _feeds(given)
        client_properties(given["config"])
        steps["watershed land-kafka"] = [sys.executable, "-m", "watershed.cli", "land-kafka", *words]
    name, *more = build or (str(Path(sys.executable).with_name("dbt")), "--quiet", "build")
    steps[shlex.join([Path(name).name, *more])] = [name, *more]
    follow(find_home(find_project_dir()), steps, every)


def _words(ctx: click.Context, option: click.Parameter) -> list[str]:
    """Return an option as given, word by word."""
    name = str(option.name)
    if ctx.get_parameter_source(name) is click.core.ParameterSource.DEFAULT:
        return []
    value = ctx.params[name]
    return [word for one in (value if option.multiple else [value]) for word in (option.opts[0], str(one))]
