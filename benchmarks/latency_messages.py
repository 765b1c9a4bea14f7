"""Some messages of every format for `benchmarks.latency`, written by the encoders of the tests."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests" / "python"
sys.path[:0] = [str(TESTS), str(TESTS / "e2e")]

from encoders import FORMATS as FORMATS  # noqa: E402
from encoders import VendorFormat  # noqa: E402
from encoders.databus import write_schemas  # noqa: E402
from encoders.table import generated_table  # noqa: E402

STEPS = 100
# One format after the other, both kinds of OMS Default together: ten turns cover all.
TURNS = (FORMATS[:1], FORMATS[1:2], FORMATS[2:4], *((one,) for one in FORMATS[4:]))
# Rows for the seeds: a source of each format, and keys where the messages have none.
FORMAT_KEYS: dict[str, list[dict[str, str]]] = {
    "cdc_sources": [{"source_name": f"latency_{one.name}", "format": one.name, "time_zone": "UTC"} for one in FORMATS],
    "table_keys": [
        {"source_name": f"latency_{one.name}", "key_columns": columns}
        for one in FORMATS
        for columns in set(one.key_columns([generated_table("any", 1)]).values())
    ],
}


def hundreds(folder: Path, seed: int, formats: Sequence[VendorFormat] = FORMATS) -> Path:
    """Write a hundred messages of each format, a folder for each source, and return the tree."""
    shutil.rmtree(folder, ignore_errors=True)
    for vendor_format in formats:
        source = folder / f"latency_{vendor_format.name}"
        source.mkdir(parents=True)
        table = vendor_format.table(generated_table(f"latency_{seed}", STEPS))
        [lines] = vendor_format.encode(table).deliver(table.chance("delivery"), 1, 1)
        (source / "messages.jsonl").write_text("".join(f"{line}\n" for line in lines[:STEPS]))
    return folder


def made_up_schemas(folder: Path) -> dict[str, list[Path]]:
    """Write the Avro schemas of the Databus messages; return them by source."""
    folder.mkdir(parents=True, exist_ok=True)
    files = write_schemas(folder)
    return {f"latency_{one.name}": files for one in FORMATS if one.name.startswith("databus_")}
