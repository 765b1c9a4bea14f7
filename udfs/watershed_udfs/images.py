"""Row images put together and taken apart, values as their exact text: no pyspark, no Arrow."""

from collections.abc import Sequence

import msgspec

Columns = dict[str, msgspec.Raw]

_COLUMNS = msgspec.json.Decoder(Columns)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_ENCODER = msgspec.json.Encoder(order="sorted")
_STRING = msgspec.json.Decoder(str)
_NULL = msgspec.Raw(b"null")


def overlay_images(images: Sequence[str | bytes | None] | None) -> str | None:
    """Overlay row images (source: docs/formats/oms_canal.md, docs/formats/oms_shareplex.md).

    Args:
        images: canonical JSON object texts, as `open_json` writes them; null ones are skipped.

    Returns:
        One canonical JSON object with the columns of all, each as the last image that has it gives it (an explicit null
        counts). Null without an image, and when one of them is no JSON object. Of a member given twice the last counts.
    """
    columns: Columns = {}
    given = [image for image in images or () if image is not None]
    for image in given:
        found = read_image(image)
        if found is None:
            return None
        columns |= found
    return image_of(columns) if given else None


def read_image(row_image: str | bytes | None) -> Columns | None:
    """Read a row image: each column's value as its exact text. Null without an image, and for text that is none."""
    if row_image is None:
        return None
    try:
        return _columns_of(row_image)
    except (ValueError, RecursionError):
        return None


def image_of(columns: Columns) -> str:
    """Write columns as a canonical JSON object: names sorted, no spaces, values unchanged."""
    return _ENCODER.encode(columns).decode()


def overlay_chains(
    ids: Sequence[str],
    previous_ids: Sequence[str | None],
    row_images: Sequence[str | bytes | None],
    scopes: Sequence[str | None],
) -> list[tuple[str | None, str | None]]:
    """Overlay each row image on the one that it names as previous, and so on (source: ADR 0010).

    Args:
        ids: names of the images, each once.
        previous_ids: for each image the name of the one below it, or null; names that are not in `ids` are null.
        row_images: canonical JSON object texts, as `open_json` writes them; null ones are skipped.
        scopes: for each image how much of a row it shows.

    Returns:
        For each image that image over all images below it, as `overlay_images` gives it, and the scope of the lowest
        one. A chain that comes back to itself has its least id as the lowest.
    """
    previous = dict(zip(ids, previous_ids, strict=True))
    given = dict(zip(ids, zip(row_images, scopes, strict=True), strict=True))
    laid: dict[str, tuple[str | None, str | None]] = {}
    for name in ids:
        # A dict is a set that keeps the order of the walk.
        walked: dict[str, None] = {}
        step: str | None = name
        while step is not None and step in given and step not in laid:
            if step in walked:
                circle = list(walked)
                previous[min(circle[circle.index(step) :])] = None
                walked.clear()
                step = name
            walked[step] = None
            step = previous[step]
        below = laid.get(step) if step is not None else None
        for one in reversed(walked):
            image, scope = given[one]
            below = (overlay_images([image]), scope) if below is None else (overlay_images([below[0], image]), below[1])
            laid[one] = below
    return [laid[name] for name in ids]


def drop_columns(row_image: str | bytes | None, names: Sequence[str | None] | None) -> str | None:
    """Leave columns out of a row image (source: docs/formats/oms_default.md, unchanged LOBs).

    Args:
        row_image: canonical JSON object text, as `open_json` writes it.
        names: columns to leave out; null names and names that are not in the image are no matter.

    Returns:
        The canonical JSON object of the other columns; the image as it is without names. Null without an image and for
        text that is no JSON object.
    """
    if row_image is None:
        return None
    dropped = set(names or ())
    try:
        kept = {name: raw for name, raw in _columns_of(row_image).items() if name not in dropped}
        return _ENCODER.encode(kept).decode()
    except (ValueError, RecursionError):
        return None


def null_columns(before_image: str | bytes | None, after_image: str | bytes | None) -> list[str] | None:
    """Name the columns that are null in both images of an update (source: docs/formats/oms_default.md, unchanged LOBs).

    Args:
        before_image: canonical JSON object text, as `open_json` writes it.
        after_image: likewise.

    Returns:
        The names of columns that are JSON null in both (not missing in one), sorted by code point. Null when an image
        is null or no JSON object.
    """
    if before_image is None or after_image is None:
        return None
    try:
        before, after = _columns_of(before_image), _columns_of(after_image)
        return sorted(name for name, raw in after.items() if raw == _NULL and before.get(name) == _NULL)
    except (ValueError, RecursionError):
        return None


def missing_columns(known_columns: str | bytes | None, row_image: str | bytes | None) -> str | None:
    """Name the known columns that a row image lacks (source: docs/formats/datahub_blob.md, partial images).

    A format with full rows should not omit any; if it does, the column did not change.

    Args:
        known_columns: JSON object text whose names are the known columns.
        row_image: canonical JSON object text, as `open_json` writes it.

    Returns:
        A JSON array of names, in the order of the known columns. Null if none is missing, and when one of the texts is
        null or no JSON object.
    """
    known, image = read_image(known_columns), read_image(row_image)
    missing = [name for name in known or () if image is not None and name not in image]
    return _ENCODER.encode(missing).decode() if missing else None


def list_items(array_text: str | bytes | None) -> list[str] | None:
    """Take the items of a JSON array as text (source: docs/formats/oms_canal.md, many rows in one message).

    Args:
        array_text: canonical JSON array text, as `open_json` writes it.

    Returns:
        One canonical JSON text per item, in order: strings keep their quotes, numbers their literal, JSON null is the
        text null. Null for null and for text that is no JSON array.
    """
    if array_text is None:
        return None
    try:
        return [bytes(raw).decode() for raw in _ITEMS.decode(array_text)]
    except (ValueError, RecursionError):
        return None


def list_texts(array_text: str | bytes | None) -> list[str | None] | None:
    """Take the items of a JSON array as column texts, most often the names in an array of strings.

    Args:
        array_text: canonical JSON array text, as `open_json` writes it.

    Returns:
        One text per item, in order: strings decoded, JSON null as None, all else as JSON text. Null for null and for
        text that is no JSON array.
    """
    items = list_items(array_text)
    if items is None:
        return None
    try:
        return [None if item == "null" else _STRING.decode(item) if item[0] == '"' else item for item in items]
    except ValueError:
        return None


def _columns_of(row_image: str | bytes) -> Columns:
    """Read the columns; msgspec looks at no byte of a value it leaves raw, so the text is checked to be UTF-8 first."""
    return _COLUMNS.decode(row_image if isinstance(row_image, str) else row_image.decode())
