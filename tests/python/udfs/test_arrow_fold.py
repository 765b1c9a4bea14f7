"""The fold as Spark calls it: columns of rows in, columns of states or versions out."""

from __future__ import annotations

import pyarrow as pa
from row_changes import change
from watershed_udfs.arrow_fold import fold_row_column, row_versions_column
from watershed_udfs.change import Change

FULL_1 = change("f1", image='{"a":1,"b":1}')
FULL_2 = change("f2", image='{"a":2,"b":2}')
DELETE_3 = change("d3", "delete", '{"a":2,"b":2}')
PART_4 = change("p4", image='{"a":4}', image_scope="partial")
INSERT = change("i1", "insert", '{"id":1,"name":"Ada","v":1}')
V2_BEFORE = change("b2", "update_preimage", '{"id":1,"name":"Ada","v":1}')
V2 = change("v2", image='{"id":1,"v":2}', image_scope="partial")
NULL_5 = change("n5", image='{"a":null}', image_scope="partial")


def changes_array(rows: list[list[Change] | None]) -> pa.Array:
    order = ("phase", "sequence", "serial", "image_rank", "topic", "partition", "offset", "event_index")
    types = [
        pa.int32(),
        pa.decimal128(38),
        pa.decimal128(38),
        pa.int32(),
        pa.string(),
        pa.int32(),
        pa.int64(),
        pa.int32(),
    ]
    texts = ("change_id", "change_type", "image_scope", "row_image", "before_hash")
    item = pa.struct(
        [("change_order", pa.struct(list(zip(order, types, strict=True))))]
        + [(name, pa.string()) for name in texts]
        + [
            ("event_at", pa.timestamp("us", "UTC")),
            ("is_soft_deleted", pa.bool_()),
            ("sequence_number", pa.decimal128(38)),
        ]
    )
    told = [
        None
        if row is None
        else [
            {name: getattr(one, name) for name in Change._fields if name not in order}
            | {"change_order": {name: getattr(one, name) for name in order}}
            | {"row_image": None if one.row_image is None else one.row_image.decode()}
            for one in row
        ]
        for row in rows
    ]
    return pa.array(told, pa.list_(item))


def test_columns_of_rows_are_folded() -> None:
    rows = changes_array([[FULL_1], None, [FULL_2, FULL_1, PART_4], [DELETE_3, FULL_1]])
    for array in (rows, pa.concat_arrays([rows, rows]).slice(4)):
        states = fold_row_column(array, pa.nulls(4), pa.nulls(4, pa.bool_()), pa.nulls(4, pa.bool_())).to_pylist()
        assert states[1] is None
        assert [(one["newest"], one["is_deleted"], one["row_image"], one["kept"]) for one in states if one] == [
            (0, False, '{"a":1,"b":1}', [0]),
            (2, False, '{"a":4,"b":2}', [0, 2]),
            (0, True, '{"a":2,"b":2}', [0]),
        ]


def test_every_change_is_explained() -> None:
    changes = [INSERT, INSERT._replace(offset=9), V2_BEFORE, V2._replace(event_index=1), DELETE_3, PART_4, NULL_5]
    (rows,) = row_versions_column(changes_array([changes]), pa.nulls(1), pa.array([False])).to_pylist()
    told = [(changes[row["change"]].change_id, row["change_number"], row["role"], row["decided_by"]) for row in rows]
    assert told == [
        ("i1", 1, "superseded", "first"),
        ("v2", 2, "superseded", "sequence"),
        ("d3", 3, "superseded", "sequence"),
        ("p4", 4, "superseded", "sequence"),
        ("n5", 5, "newest", "sequence"),
        ("b2", 2, "preimage of its message", None),
    ]
    assert [row["image"] for row in rows][:5] == [
        INSERT.row_image.decode(),
        '{"id":1,"name":"Ada","v":2}',
        None,
        '{"a":4}',
        '{"a":null}',
    ]
