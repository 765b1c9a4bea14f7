"""Lagging typed snapshots, one sentence per table, with the command."""

from __future__ import annotations

from watershed.health.snapshot_lag import Lag, by_table


def test_lags_are_listed_by_table_with_their_command() -> None:
    lags = [
        Lag("shop", "db.orders", "messages contain the column a, which snapshot_shop__orders lacks", "run this"),
        Lag("shop", "db.orders", "messages contain the column b, which snapshot_shop__orders lacks", "run this"),
        Lag("shop", "db.log", "messages contain the table, which has no typed snapshot", "run that"),
    ]
    assert [tuple(one) for one in by_table(lags)] == [
        (
            "shop",
            "shop, db.orders: messages contain the column a, which snapshot_shop__orders lacks, and 1 other column.",
            "run this",
        ),
        ("shop", "shop, db.log: messages contain the table, which has no typed snapshot.", "run that"),
    ]
    assert by_table([]) == []
