"""The configured sources: seeds/cdc_sources.csv says which format each one has."""

from __future__ import annotations

import csv
import os
from pathlib import Path

from watershed.errors import WatershedError

SEEDS = Path("seeds")
SEEDS_WITH_SAMPLES = Path("target") / "seeds"
"""Read in the place of SEEDS where the switch is set; `watershed.samples` does both."""
SWITCH = "WATERSHED_SAMPLES"
COLUMNS = ["source_name", "format", "time_zone", "order_by"]
"""A file of before has no order_by, and a line may leave it out."""
ORDERS = ("", "position")
# Those of dbt_project.yml, which says more about each; a test compares the two.
FORMATS = (
    "datahub_tuple",
    "datahub_blob",
    "oms_default",
    "oms_default_extend_column_type",
    "oms_canal",
    "oms_dataworks_v2",
    "oms_shareplex",
    "lindorm_sql",
    "lindorm_hbase",
    "databus_binary",
    "databus_json",
)


class Sources:
    """The sources of one project, by name.

    Args:
        path: The CSV they were read from, for messages.
        formats: The format of each source name.
    """

    def __init__(self, path: Path, formats: dict[str, str]) -> None:
        """Keep the path and the formats."""
        self.path = path
        self._formats = formats

    def format_of(self, source_name: str) -> str:
        """Return the format of a source.

        Raises:
            WatershedError: no such source; the message lists the known ones.
        """
        try:
            return self._formats[source_name]
        except KeyError:
            known = ", ".join(sorted(self._formats)) or "none"
            raise WatershedError(
                f"Source {source_name!r} is not in {self.path} (known: {known}).",
                f"Add a line {','.join(COLUMNS)} for it, or correct the name.",
            ) from None


def read_sources(project_dir: Path) -> Sources:
    """Read seeds/cdc_sources.csv of a project, with the samples' sources where WATERSHED_SAMPLES is set.

    Raises:
        WatershedError: the file is missing or malformed, a name is there twice, or a format is unknown.
    """
    path = project_dir / (SEEDS_WITH_SAMPLES if os.environ.get(SWITCH) else SEEDS) / "cdc_sources.csv"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WatershedError(
            f"{path} is missing; it says which format each source has.",
            f"Create it with the columns {','.join(COLUMNS)}.",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise WatershedError(f"{path} cannot be read as UTF-8 text: {error}.") from error
    formats: dict[str, str] = {}
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        header = next(reader, [])
        if header not in (COLUMNS, COLUMNS[:-1]):
            raise WatershedError(f"{path}:1: expected the columns {','.join(COLUMNS)}, found {','.join(header)!r}.")
        for row in reader:
            if row:
                _add_source(f"{path}:{reader.line_num}", row, header, formats)
    except csv.Error as error:
        raise WatershedError(f"{path}:{reader.line_num}: not CSV: {error}.") from error
    return Sources(path, formats)


def _add_source(place: str, row: list[str], header: list[str], formats: dict[str, str]) -> None:
    if not len(COLUMNS) - 1 <= len(row) <= len(header):
        raise WatershedError(f"{place}: expected {len(header)} cells ({','.join(header)}), found {len(row)}.")
    name, format_name, _, order_by = [*row, ""][: len(COLUMNS)]
    if not name:
        raise WatershedError(f"{place}: source_name is empty.")
    if name in formats:
        raise WatershedError(f"{place}: source_name {name!r} is there twice.", "Keep one of the two lines.")
    if format_name not in FORMATS:
        raise WatershedError(
            f"{place}: source {name!r} has format {format_name!r}, which does not exist.",
            f"Formats: {', '.join(FORMATS)}.",
        )
    if order_by.strip() not in ORDERS:
        raise WatershedError(
            f"{place}: source {name!r} has order_by {order_by!r}, which does not exist.",
            "Leave it empty for the order of the format, or write position.",
        )
    formats[name] = format_name
