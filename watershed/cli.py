"""The command `watershed`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from watershed.errors import WatershedError
from watershed.messages import Mode
from watershed.tables import OutputFormat


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process: 0 done, 2 the user can put it right, 130 interrupted.

    Args:
        arguments: What stands behind the program's name; the process's own if not given.
    """
    options = build_parser().parse_args(arguments)
    try:
        status = _run(options)
        sys.stdout.flush()
    except WatershedError as error:
        print(f"watershed {options.command}: {error}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        status = 130
    except BrokenPipeError:  # the reader, for example `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="watershed",
        description="Turns raw change-data-capture messages into one changelog and current-state tables.",
        epilog="WATERSHED_HOME names the folder of all data (default: .watershed in the project).",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    serve = commands.add_parser(
        "serve",
        help="run the Thrift server in the foreground",
        description="Runs the Spark Thrift server with Delta and the UDFs on 127.0.0.1 until Ctrl-C or SIGTERM.",
    )
    serve.add_argument("--port", type=_port, help="default: WATERSHED_PORT or 10000; 0 takes a free one")
    serve.add_argument("--master", default="local[*]", help="the Spark master (default: %(default)s)")
    serve.add_argument("--driver-memory", default="4g", help="memory of the driver's JVM (default: %(default)s)")

    land = commands.add_parser(
        "land",
        help="land files as one batch",
        description="Lands files in landing.messages, byte for byte: one call is one batch, all of it or nothing. "
        "A file whose bytes have landed before for the same source is skipped.",
    )
    place = land.add_mutually_exclusive_group(required=True)
    place.add_argument("--source", metavar="NAME", help="the source of the files, as in seeds/cdc_sources.csv")
    place.add_argument(
        "--tree", metavar="DIR", type=Path, help="land every file of each folder (named like a source) of DIR"
    )
    land.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="the files of --source")
    land.add_argument(
        "--as",
        dest="mode",
        type=Mode,
        choices=list(Mode),
        help="envelope: JSON lines with coordinates (default for .jsonl); lines: each line is one value; "
        "bytes: each file is one value",
    )

    schemas = commands.add_parser(
        "schemas",
        help="store Avro writer schemas of a Databus source",
        description="Stores Avro record schemas in landing.avro_schemas under the MD5 of their normalized text and the "
        "MD5 of the file, which are the two ids that Databus events carry.",
    )
    schemas.add_argument("--source", metavar="NAME", required=True, help="a Databus source of seeds/cdc_sources.csv")
    schemas.add_argument("paths", metavar="FILE", nargs="+", type=Path, help="a file with one record schema (.avsc)")

    snapshots = commands.add_parser(
        "snapshots",
        help="write typed snapshot models of the tables that messages have told of",
        description="Writes a model and its description into models/typed_snapshots/generated for each table, with the "
        "columns and types that its messages tell (dbt must have built the model seen_columns). A file that was edited "
        "by hand is kept.",
    )
    snapshots.add_argument("--source", metavar="NAME", help="only tables of this source")
    snapshots.add_argument("--table", metavar="NAME", help="only tables of this name")
    snapshots.add_argument("--dry-run", action="store_true", help="show how the files would change, and write none")

    sql = commands.add_parser(
        "sql",
        help="run a query on the server",
        description="Runs one statement on the server at WATERSHED_HOST (default 127.0.0.1) and WATERSHED_PORT "
        "(default 10000). Binary columns are printed as Base64.",
    )
    sql.add_argument("statement", metavar="QUERY")
    sql.add_argument(
        "--format",
        type=OutputFormat,
        choices=list(OutputFormat),
        default=OutputFormat.TABLE,
        help="default: %(default)s; json prints one object per line",
    )

    report = commands.add_parser(
        "report",
        help="write a page on the health of all sources",
        description="Writes one HTML page that needs nothing but itself: how far each source is, what became of the "
        "messages, quarantine, anomalies, and the size of the tables, as the server at WATERSHED_HOST and "
        "WATERSHED_PORT has them in WATERSHED_SCHEMA.",
    )
    report.add_argument(
        "--output", metavar="FILE", type=Path, help="the file to write (default: target/report.html of the project)"
    )

    beside = commands.add_parser(
        "with-server",
        help="run a command beside a server",
        description="Runs a command with WATERSHED_PORT set to the server that runs on this home, or to one that is "
        "started on a free port for it and ended after it.",
    )
    beside.add_argument("command_line", metavar="COMMAND", nargs=argparse.REMAINDER)
    return parser


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that each command starts without the others' libraries.
    if options.command == "land":
        from watershed.land import land

        if options.source is not None and not options.paths:
            raise WatershedError("--source is given without a file.", "watershed land --source NAME PATH...")
        if options.tree is not None and options.paths:
            raise WatershedError("--tree takes no further paths.", "watershed land --tree DIR")
        land(options.source, options.paths, options.tree, options.mode)
        return 0
    if options.command == "schemas":
        from watershed.schemas import schemas

        schemas(options.source, options.paths)
        return 0
    if options.command == "snapshots":
        from watershed.snapshots import snapshots

        return snapshots(options.source, options.table, options.dry_run)
    if options.command == "sql":
        from watershed.sql import sql

        sql(options.statement, options.format)
        return 0
    if options.command == "report":
        from watershed.report import report

        return report(options.output)
    if options.command == "with-server":
        from watershed.with_server import with_server

        if not options.command_line:
            raise WatershedError("No command is given.", "watershed with-server COMMAND...")
        return with_server(options.command_line)
    from watershed.serve import serve

    return serve(options.port, options.master, options.driver_memory)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; a number from 0 to 65535 is expected")
    return int(text)


if __name__ == "__main__":
    main()
