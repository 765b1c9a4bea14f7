"""Arrow wrappers of the pure functions: whole columns in and out, bad data as error fields.

Text comes in as bytes: Spark strings need not be UTF-8, and one bad value must not fail its batch.
"""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from watershed_udfs import base64_text, images, source_types
from watershed_udfs.errors import PayloadError

Failure = tuple[str, str]


def outcome(function: Callable[..., Any], *arguments: object) -> tuple[Any, Failure | None]:
    """Call a pure function: (result, None), or (None, (reason code, detail)); the one place where bad data ends."""
    try:
        return function(*arguments), None
    except PayloadError as error:
        return None, (error.code, error.detail)
    except (MemoryError, RecursionError) as error:
        return None, ("malformed_json", f"too large to read: {type(error).__name__}")


def decode_base64_column(texts: pa.Array) -> pa.Array:
    """Decode n texts into n structs (result, error); null gives two nulls."""
    return _result_column(base64_text.decode_base64, texts, pa.binary())


def overlay_chains_column(ids: pa.Array, previous_ids: pa.Array, row_images: pa.Array, scopes: pa.Array) -> pa.Array:
    """Overlay n lists of chained row images into n lists of structs; null in, null out."""
    fields = pa.struct([("row_image", pa.string()), ("image_scope", pa.string())])
    lists: list[list[dict[str, str | None]] | None] = []
    columns = (names_of(ids), names_of(previous_ids), _lists_of(row_images), names_of(scopes))
    for names, previous, given, scoped in zip(*columns, strict=True):
        if names is None or previous is None or given is None or scoped is None:
            lists.append(None)
            continue
        overlaid = images.overlay_chains([name or "" for name in names], previous, given, scoped)
        lists.append([{"row_image": image, "image_scope": scope} for image, scope in overlaid])
    return pa.array(lists, pa.list_(fields))


def type_change_column(befores: pa.Array, afters: pa.Array) -> pa.Array:
    """Compare n types with the n types after them into n texts; null for equal ones."""
    pairs = zip(_texts_of(befores), _texts_of(afters), strict=True)
    return pa.array([source_types.type_change(before, after) for before, after in pairs], pa.string())


def widest_type_column(types: pa.Array, reader_types: pa.Array) -> pa.Array:
    """Find the widest of each of n lists of types into n structs (type, refused); null without a list."""
    refused = pa.list_(pa.struct([("change", pa.string()), ("type", pa.string())]))
    rows = zip(names_of(types), _texts_of(reader_types), strict=True)
    widest = [None if given is None else source_types.widest_type(given, reader) for given, reader in rows]
    return pa.array(widest, pa.struct([("type", pa.string()), ("refused", refused)]))


def _result_column(function: Callable[[bytes], Any], texts: pa.Array, result_type: pa.DataType) -> pa.Array:
    rows = [(None, None) if text is None else outcome(function, text) for text in bytes_of(texts)]
    errors = [failure and f"{failure[0]}: {failure[1]}" for _, failure in rows]
    arrays = [pa.array([result for result, _ in rows], result_type), pa.array(errors, pa.string())]
    return pa.StructArray.from_arrays(arrays, names=["result", "error"])


def bytes_of(texts: pa.Array) -> list[bytes | None]:
    """Give n strings or binaries as bytes (through numpy, which is five times as fast as `to_pylist`)."""
    is_large = pa.types.is_large_string(texts.type) or pa.types.is_large_binary(texts.type)
    values: list[bytes | None] = (
        texts.cast(pa.large_binary() if is_large else pa.binary()).to_numpy(zero_copy_only=False).tolist()
    )
    return values


def _texts_of(texts: pa.Array) -> list[str | None]:
    return [None if text is None else text.decode(errors="replace") for text in bytes_of(texts)]


def _lists_of(lists: pa.Array) -> list[list[bytes | None] | None]:
    """Give n lists of strings as lists of bytes; a bare NULL in SQL is n nulls."""
    if pa.types.is_null(lists.type):
        return [None] * len(lists)
    items = bytes_of(lists.values)
    bounds = lists.offsets.to_pylist()
    rows = zip(lists.is_valid().to_pylist(), bounds, bounds[1:], strict=False)
    return [items[start:end] if given else None for given, start, end in rows]


def names_of(lists: pa.Array) -> list[list[str | None] | None]:
    """Return n lists of names; a name that is not UTF-8 is in no image."""
    return [
        None if names is None else [None if name is None else name.decode(errors="replace") for name in names]
        for names in _lists_of(lists)
    ]
