"""Arrow wrappers of the fold: lists of changes and truncates in, current and previous rows out."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from watershed_udfs.arrow import bytes_of
from watershed_udfs.change import Change, Truncate, is_before_truncate
from watershed_udfs.fold import Folded, Version, all_versions, decided_by, fold, image_after, newest_version
from watershed_udfs.validity import validities

STATE = pa.struct(
    {
        "newest": pa.int32(),
        "is_deleted": pa.bool_(),
        "row_image": pa.string(),
        "tied_changes": pa.int32(),
        "spans_partitions": pa.bool_(),
        "kept": pa.list_(pa.int32()),
    }
)
VERSION = pa.struct(
    {
        "change": pa.int32(),
        "change_number": pa.int32(),
        "role": pa.string(),
        "decided_by": pa.string(),
        "is_deleted": pa.bool_(),
        "image": pa.string(),
        "is_image_whole": pa.bool_(),
        "is_soft_deleted": pa.bool_(),
        "first_live": pa.int32(),
        "valid_from": pa.timestamp("us", "UTC"),
        "valid_to": pa.timestamp("us", "UTC"),
        "ending_change": pa.int32(),
        "ending_truncate": pa.int32(),
        "later_truncates": pa.list_(pa.int32()),
    }
)


def fold_row_column(
    changes: pa.Array, truncates: pa.Array, spanned_partitions: pa.Array, is_ordered_by_position: pa.Array
) -> pa.Array:
    """Fold n lists of changes into n structs (STATE); null in, null out. Changes are numbered from 0."""
    return pa.array(_of_rows(_state, changes, truncates, spanned_partitions, is_ordered_by_position), STATE)


def row_versions_column(changes: pa.Array, truncates: pa.Array, is_ordered_by_position: pa.Array) -> pa.Array:
    """Return the row version of each change of n lists, as n lists of structs (VERSION); null in, null out."""
    spanned_partitions = pa.nulls(len(changes), pa.bool_())
    return pa.array(
        _of_rows(_versions, changes, truncates, spanned_partitions, is_ordered_by_position), pa.list_(VERSION)
    )


def _of_rows(
    of_row: Callable[[Folded, Sequence[Truncate]], object],
    changes: pa.Array,
    truncates: pa.Array,
    spanned_partitions: pa.Array,
    is_ordered_by_position: pa.Array,
) -> list[object]:
    settings = zip(spanned_partitions.to_pylist(), is_ordered_by_position.to_pylist(), strict=True)
    rows = zip(_lists(changes, _changes), _lists(truncates, _truncates), settings, strict=True)
    return [
        None if not one else of_row(fold(one, bool(spread), bool(by_position)), emptied or ())
        for one, emptied, (spread, by_position) in rows
    ]


def _state(folded: Folded, truncates: Sequence[Truncate]) -> dict[str, object]:
    version = newest_version(folded, truncates)
    is_emptied = any(is_before_truncate(folded.changes[version.change], truncate) for truncate in truncates)
    return {
        "newest": version.change,
        "is_deleted": version.is_deleted or is_emptied,
        "row_image": _shown_image(folded, version),
        "tied_changes": folded.ties,
        "spans_partitions": folded.spans_partitions,
        "kept": folded.kept,
    }


def _shown_image(folded: Folded, version: Version) -> str | None:
    """The row after a change; for a deleted row the image of the change."""
    change = folded.changes[version.change]
    if version.live and change.change_type != "update_preimage":
        return image_after(folded.changes, version)
    return None if change.row_image is None else change.row_image.decode(errors="replace")


def _versions(folded: Folded, truncates: Sequence[Truncate]) -> list[dict[str, object]]:
    """One item per change: effective ones in their order, then preimages that remove nothing."""
    changes, ordered = folded.changes, folded.ordered
    versions = list(all_versions(folded, truncates))
    showing = set(versions[-1].live)
    later = [_later_truncates(changes[number], truncates) for number in range(len(changes))] if truncates else []
    rows: list[dict[str, object]] = []
    for place, (version, validity) in enumerate(
        zip(versions, validities(changes, ordered, truncates, later), strict=True)
    ):
        number = version.change
        is_newest = place == len(versions) - 1
        rows.append(
            {
                "change": number,
                "change_number": place + 1,
                "role": "newest" if is_newest else "base" if number in showing else "superseded",
                "decided_by": decided_by(folded, place),
                "is_deleted": version.is_deleted,
                "image": image_after(changes, version),
                "is_image_whole": version.is_whole and not version.is_deleted,
                "is_soft_deleted": version.is_soft_deleted,
                "first_live": version.live[0] if version.live else None,
                **validity._asdict(),
                "later_truncates": later[number] if truncates else None,
            }
        )
    for pair in folded.pairs:
        rows.append(
            {
                "change": pair.change,
                "change_number": pair.place + 1,
                "role": f"preimage of its {'message' if pair.is_of_message else 'order'}",
                "later_truncates": later[pair.change] if truncates else None,
            }
        )
    return rows


def _later_truncates(change: Change, truncates: Sequence[Truncate]) -> list[int]:
    return [number for number, truncate in enumerate(truncates) if is_before_truncate(change, truncate)]


def _changes(structs: pa.StructArray) -> Iterator[Change]:
    orders = structs.field("change_order")
    columns = [orders.field(name).to_pylist() for name in Change._fields[:8]]
    columns += [_values(structs.field(name), name) for name in Change._fields[8:]]
    return map(Change._make, zip(*columns, strict=True))


def _truncates(structs: pa.StructArray) -> Iterator[Truncate]:
    orders = structs.field("change_order")
    columns = [orders.field(name).to_pylist() for name in Truncate._fields[1:-1]]
    columns = [structs.field("is_by_position").to_pylist(), *columns, _values(structs.field("event_at"), "event_at")]
    return map(Truncate._make, zip(*columns, strict=True))


def _values(column: pa.Array, name: str) -> list[Any]:
    """Values as Python objects: times as microseconds, images as bytes, because a Spark text need not be UTF-8."""
    if name == "row_image":
        return bytes_of(column)
    values: list[Any] = (column.cast(pa.int64()) if name == "event_at" else column).to_pylist()
    return values


def _lists(lists: pa.Array, items_of: Callable[[pa.StructArray], Iterator[Any]]) -> Iterator[list[Any] | None]:
    """Return n lists of structs as lists of tuples; a bare NULL in SQL is n nulls."""
    if pa.types.is_null(lists.type):
        yield from [None] * len(lists)
        return
    bounds = lists.offsets.to_pylist()
    first, last = bounds[0], bounds[-1]
    items = list(items_of(lists.values.slice(first, last - first)))
    for given, start, end in zip(lists.is_valid().to_pylist(), bounds, bounds[1:], strict=False):
        yield items[start - first : end - first] if given else None
