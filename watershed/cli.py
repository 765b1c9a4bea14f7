"""The command `watershed`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

import click

from watershed.errors import InterruptError, WatershedError
from watershed.kafka.commands import follow, land_kafka
from watershed.landing.messages import Mode
from watershed.options import PATH, SOURCE, examples, listed, source_names
from watershed.tables import OutputFormat
from watershed.texts import print_to_stderr

ENVIRONMENT = {
    "WATERSHED_HOME": "the folder of all data (default: .watershed in the project)",
    "WATERSHED_HOST": "the server that commands and dbt connect to (default: 127.0.0.1)",
    "WATERSHED_PORT": "its port (default: that of this home's server; for dbt and serve 10000)",
    "WATERSHED_USER": "user for a server that requires a password, over TLS (default: none)",
    "DBT_ENV_SECRET_WATERSHED_PASSWORD": "the password; dbt never logs it",
    "WATERSHED_SCHEMA": "the schema of the published models; staging has the suffix _staging (default: watershed)",
    "WATERSHED_THREADS": "number of models that dbt builds in parallel (default: 4)",
    "WATERSHED_STORE": "a bucket for all tables (docs/cluster.md; default: folders of the home)",
    "WATERSHED_FILE_FORMAT": "delta or iceberg, for serve and dbt (docs/tables.md; default: delta)",
    "WATERSHED_KAFKA_..": "properties of Kafka's clients (docs/kafka.md)",
}
_WIDTH = max(map(len, ENVIRONMENT))


class Commands(click.Group):
    """Ends with 0 done, 2 an error that the user can correct, 130 interrupted; errors have no traceback.

    docs/monitoring.md has the exit codes of each command.
    """

    def invoke(self, ctx: click.Context) -> None:
        """Run the command and exit."""
        try:
            status = super().invoke(ctx) or 0
            sys.stdout.flush()
        except WatershedError as error:
            print_to_stderr(f"watershed {ctx.invoked_subcommand}: {error}")
            status = 2
        except (InterruptError, KeyboardInterrupt) as error:
            print_to_stderr(f"Interrupted. {error}".rstrip())
            status = 130
        except BrokenPipeError:  # the reader, for example `head`, has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = 0
        except OSError as error:
            problem = f"{error.filename or 'a file'}: {error.strerror or error}."
            print_to_stderr(f"watershed {ctx.invoked_subcommand}: {problem}")
            status = 2
        ctx.exit(status)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=listed("Environment variables", [f"{name:<{_WIDTH}} {meaning}" for name, meaning in ENVIRONMENT.items()])
    + "\n\n"
    + listed("Completion of commands in bash (zsh, fish)", ['eval "$(_WATERSHED_COMPLETE=bash_source watershed)"']),
)
@click.version_option(package_name="watershed", message="watershed %(version)s")
def main() -> None:
    """Turns raw change-data-capture messages into one changelog and current-state tables."""


@main.command(epilog=examples("serve", "serve --port 0 --driver-memory 8g", "serve --host 0.0.0.0"))
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; others than 127.0.0.1 require passwords and TLS (docs/connecting.md).",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Default: WATERSHED_PORT or 10000; 0 takes a free one.")
@click.option("--master", default="local[*]", show_default=True, help="The Spark master.")
@click.option("--driver-memory", default="4g", show_default=True, help="Memory of the driver's JVM.")
def serve(host: str, port: int | None, master: str, driver_memory: str) -> int:
    """Run the Thrift server in the foreground.

    Spark with Delta and the UDFs, for this machine only, until Ctrl-C, SIGTERM or `watershed stop`. With --host other
    machines may connect, but only with a password and TLS.
    """
    from watershed.server.serve import serve

    return serve(
        host,
        port,
        master,
        driver_memory,
        on_start=lambda: print_to_stderr("Starting Spark; clients may connect in half a minute ..."),
    )


@main.command(epilog=examples("stop"))
def stop() -> None:
    """Stop the server that runs on this home."""
    from watershed.health.status import stop

    stop()


@main.command(epilog=examples("status", "status --format json", "status --no-anomalies    # in a second or two"))
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"], case_sensitive=False),
    default="text",
    show_default=True,
    help="json is one object; docs/monitoring.md describes it.",
)
@click.option(
    "--anomalies/--no-anomalies",
    "with_anomalies",
    default=None,
    help="Count anomalies of order, images, DDL, windows and columns. Default: if events has at most 100,000 rows.",
)
def status(output_format: str, with_anomalies: bool | None) -> int:
    """Print the verdict and the progress of each source.

    The exit code is the verdict: 0 fine, 1 warnings, 2 broken. Findings are printed with their remedies, worst first.
    Without a server only landed messages are known, which is a warning.
    """
    from watershed.health.status import status

    return status(output_format == "json", with_anomalies)


@main.command(
    epilog=examples(
        "land --source shop_orders export/*.jsonl",
        "land --source shop_orders --as lines part9.jsonl part10.jsonl.gz",
        "land --tree export      # a folder per source",
    )
)
@SOURCE
@click.option("--tree", metavar="DIR", type=PATH, help="Land each folder of DIR for the source of that name.")
@click.option(
    "--as",
    "mode",
    type=click.Choice(Mode, case_sensitive=False),
    help="envelope: JSON lines with coordinates (default for .jsonl); lines: each line is one value; bytes: each file "
    "is one value; array: each element of a JSON array is one value.",
)
@click.option("--topic", metavar="NAME", help="Topic of files that are not envelopes (default: the source's name).")
@click.option("--force", "is_forced", is_flag=True, help="Land files even if nothing in them can be a message.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
def land(
    source: str | None,
    tree: Path | None,
    mode: Mode | None,
    topic: str | None,
    is_forced: bool,
    paths: tuple[Path, ...],
) -> None:
    """Land files as one batch.

    They land atomically in landing.messages, byte for byte. Files that end in .gz or .zst are
    decompressed. A file is skipped if its content has already landed for the same source with the same --as (and
    --topic, if given).

    With --as lines, bytes or array each file is a partition of its own, in the order in which files are named (of a
    folder: part9 before part10). The default topic is the source's name; for datahub_tuple it is the file's name, since
    the topic names the table.
    """
    from watershed.landing.land import LandOptions, land

    if (source is None) == (tree is None):
        raise click.UsageError("Name either a source and its files (--source NAME PATH...) or a folder (--tree DIR).")
    if source is not None and not paths:
        raise click.UsageError("--source is given without a file: watershed land --source NAME PATH...")
    if tree is not None and paths:
        raise click.UsageError("--tree takes no further paths: watershed land --tree DIR")
    if topic == "":
        raise click.UsageError("--topic is empty: watershed land --source NAME --topic NAME PATH...")
    land(source, paths, tree, LandOptions(mode, topic, is_forced))


main.add_command(land_kafka)
main.add_command(follow)


@main.command(
    epilog=examples(
        "schemas --source profile_stream schemas/*.avsc",
        "schemas --list",
        "schemas --source profile_stream --remove 0123456789abcdef0123456789abcdef",
    )
)
@click.option("--source", metavar="NAME", shell_complete=source_names, help="A Databus source.")
@click.option("--list", "is_list", is_flag=True, help="List the stored schemas, of --source or of all sources.")
@click.option(
    "--remove", metavar="ID", multiple=True, help="Remove a schema of --source, under both ids; may be repeated."
)
@click.argument("paths", metavar="FILE...", nargs=-1, type=PATH)
def schemas(source: str | None, is_list: bool, remove: tuple[str, ...], paths: tuple[Path, ...]) -> None:
    """Store, list or remove Avro writer schemas of a Databus source.

    Each FILE (.avsc) has one record schema. It is stored in landing.avro_schemas under the MD5 of its normalized text
    and the MD5 of the file, which are the two ids that Databus events carry.
    """
    from watershed.landing.schemas import list_schemas, remove_schemas, schemas

    if paths and (is_list or remove):
        raise click.UsageError("--list and --remove take no files: watershed schemas --source NAME --remove ID")
    if is_list:
        list_schemas(source)
        return
    if source is None:
        raise click.UsageError("--source is missing: watershed schemas --source NAME FILE...")
    if remove:
        remove_schemas(source, list(remove))
        return
    if not paths:
        raise click.UsageError("No file is given: watershed schemas --source NAME FILE...")
    schemas(source, list(paths))


@main.command(epilog=examples("snapshots", "snapshots --source shop_orders --table orders"))
@click.option("--source", metavar="NAME", shell_complete=source_names, help="Only tables of this source.")
@click.option("--table", metavar="NAME", help="Only tables of this name.")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show how the files would change, without writing them.")
def snapshots(source: str | None, table: str | None, is_dry_run: bool) -> int:
    """Write typed snapshot models of the tables found in messages.

    A model and its description go into models/typed_snapshots/generated for each table, with the columns and types in
    its messages. Build first; files edited by hand are kept.
    """
    from watershed.snapshots.generate import snapshots

    print_to_stderr("Discovering tables ...")
    return snapshots(source, table, is_dry_run)


@main.command(
    epilog=examples(
        'sql "select * from watershed.current_rows"',
        'sql --format csv "select * from watershed.quarantine" > quarantine.csv',
        'sql --expanded "select * from watershed.current_rows limit 3"',
        "sql --file question.sql      # - is standard input",
    )
)
@click.argument("statement", metavar="[QUERY]", required=False)
@click.option(
    "--file", "-f", type=click.File(encoding="utf-8"), help="Read the query from a file; - is standard input."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(OutputFormat, case_sensitive=False),
    default=OutputFormat.TABLE,
    show_default="table",
    help="json is one array, jsonl one object per line.",
)
@click.option("--wide", is_flag=True, help="Print wide values in full; a table cuts them at 60 characters.")
@click.option("--expanded", "-x", is_flag=True, help="Print a line per column, and values in full.")
def sql(statement: str | None, file: IO[str] | None, output_format: OutputFormat, wide: bool, expanded: bool) -> None:
    """Run one statement on the server and print its rows.

    Binary columns are printed as Base64. CSV and JSON always contain the whole value.
    """
    from watershed.sql import Layout, sql

    if wide and expanded:
        raise click.UsageError("--wide and --expanded exclude each other.")

    if (statement is None) == (file is None):
        raise click.UsageError('Give one query: watershed sql "select ..", or watershed sql --file FILE.')
    try:
        text = statement or (file.read() if file is not None else "")
    except UnicodeDecodeError as error:
        raise WatershedError(f"The query is not UTF-8 text: {error}.") from error
    sql(text, output_format, Layout.EXPANDED if expanded else Layout.WIDE if wide else Layout.CUT)


@main.command(epilog=examples("explain --source shop_orders --table orders '{\"id\":1}'"))
@click.option("--source", metavar="NAME", required=True, shell_complete=source_names, help="The source of the row.")
@click.option("--table", metavar="NAME", required=True, help="The table of the row.")
@click.option("--database", metavar="NAME", help="The database of the table; any if not given.")
@click.option("--schema", metavar="NAME", help="The schema of the table; any if not given.")
@click.argument("row_key", metavar="KEY")
def explain(source: str, table: str, database: str | None, schema: str | None, row_key: str) -> None:
    """Explain the current state of a row.

    KEY is the key as JSON text, as in current_rows. The changes of the row are listed in their order, with the role of
    each, then the one that decides the row and why, and the state that it leaves.
    """
    from watershed.explain import explain

    explain(source, table, row_key, database, schema)


@main.command(epilog=examples("findings"))
def findings() -> None:
    """Print what the tests and seeds of the last build found.

    Each test that failed or warned with its rule, the sources, an example of each reason and what to do. Payloads are
    not printed.
    """
    from watershed.health.findings import findings

    findings()


@main.command(epilog=examples("report", "report --output health.html"))
@click.option("--output", metavar="FILE", type=PATH, help="Default: target/report.html of the project.")
def report(output: Path | None) -> int:
    """Write a health report of all sources.

    One self-contained HTML page: progress of each source, outcomes of messages, quarantine,
    anomalies, builds and tests, and the size of the tables.
    """
    from watershed.report import report

    return report(output)


@main.command(epilog=examples("maintain --dry-run", "with-server watershed maintain"))
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be done, without changing anything.")
@click.option(
    "--keep-days",
    type=click.IntRange(1, 7),
    default=7,
    show_default=True,
    help="Keep files needed within this many days, for readers of older table versions.",
)
def maintain(is_dry_run: bool, keep_days: int) -> None:
    """Compact small files of landing, and remove obsolete files.

    No message, event or row is removed. Safe to run during landing, streams and builds. Files of dbt's tables are
    removed by the server that runs on this home; builds compact them.
    """
    from watershed.maintenance.maintain import maintain

    maintain(is_dry_run, keep_days)


@main.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples("with-server dbt build"),
)
@click.argument("command_line", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def with_server(command_line: tuple[str, ...]) -> int:
    """Run a command with a server.

    WATERSHED_PORT is set to the server that runs on this home, or to one that is started on a free port for the command
    and stopped after it.
    """
    from watershed.server.with_server import with_server

    return with_server(command_line)


if __name__ == "__main__":
    main(prog_name="watershed")
