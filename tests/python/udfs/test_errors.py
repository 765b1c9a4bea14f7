"""The reason codes of Python are in the seed that explains them."""

import csv
from pathlib import Path

from watershed_udfs.errors import REASON_CODES

SEED = Path(__file__).parents[3] / "seeds" / "reason_codes.csv"
NEVER_IN_QUARANTINE = {"ddl_meta_unreadable"}
"""A ddlMeta that cannot be read costs its text only, not the message."""


def test_reason_codes_are_explained_once() -> None:
    with SEED.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    codes = [row["reason_code"] for row in rows]
    assert len(set(codes)) == len(codes)
    assert set(REASON_CODES) - NEVER_IN_QUARANTINE <= set(codes)
    assert all(row["meaning"] and row["remedy"] for row in rows)
