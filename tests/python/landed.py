"""Calls of `watershed land` in this process, and the resulting landing tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from watershed.cli import main
from watershed.home import Home

ONE = '{"topic":"orders","partition":3,"offset":7,"timestamp_ms":1605339932736,"key":"k","value":"v"}\n'
LAND = "import sys; from watershed.cli import main; main(sys.argv[1:])"


def land(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["land", *map(str, arguments)])
    return int(str(ended.value.code))


def messages(home: Home) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for path in DeltaTable(home.messages).file_uris():
        table = pq.ParquetFile(unquote(path)).read()
        rows += [row | {"format": Path(path).parent.name.removeprefix("format=")} for row in table.to_pylist()]
    return sorted(
        rows, key=lambda row: (row["landed_at"], row["source_name"], row["topic"], row["partition"], row["offset"])
    )


def version(home: Home) -> int:
    return int(DeltaTable(home.messages).version())


def commits(home: Home) -> list[list[dict[str, Any]]]:
    files = sorted((home.messages / "_delta_log").glob("*.json"))
    return [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
