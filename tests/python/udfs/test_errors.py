"""The reason codes of Python and of SQL are in the seed that explains them."""

import csv
import re
from pathlib import Path

from watershed_udfs.errors import REASON_CODES

PROJECT = Path(__file__).parents[3]
SEED = PROJECT / "seeds" / "reason_codes.csv"
NEVER_IN_QUARANTINE = {"ddl_meta_unreadable"}
"""A ddlMeta that cannot be read costs its text only, not the message."""


def explained() -> list[dict[str, str]]:
    with SEED.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_reason_codes_are_explained_once() -> None:
    rows = explained()
    codes = [row["reason_code"] for row in rows]
    assert len(set(codes)) == len(codes)
    assert set(REASON_CODES) - NEVER_IN_QUARANTINE <= set(codes)
    assert all(row["meaning"] and row["remedy"] for row in rows)


def test_reason_codes_of_sql_are_explained() -> None:
    files = [file for folder in ("models", "macros") for file in (PROJECT / folder).rglob("*.sql")]
    calls = [call for file in files for call in re.findall(r"[{ ]reason\((.*?),", file.read_text("utf-8"))]
    codes = {row["reason_code"] for row in explained()}
    assert len(calls) > 100
    assert [call for call in calls if call != "code" and call.strip("'") not in codes] == []
