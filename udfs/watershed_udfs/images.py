"""Combines and splits row images, values as their exact text: no pyspark, no Arrow."""

from collections.abc import Sequence

import msgspec

Columns = dict[str, msgspec.Raw]

_COLUMNS = msgspec.json.Decoder(Columns)
_ENCODER = msgspec.json.Encoder(order="sorted")


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
    overlaid: dict[str, tuple[str | None, str | None]] = {}
    for name in ids:
        # A dict is a set that keeps the order of the walk.
        walked: dict[str, None] = {}
        step: str | None = name
        while step is not None and step in given and step not in overlaid:
            if step in walked:
                circle = list(walked)
                previous[min(circle[circle.index(step) :])] = None
                walked.clear()
                step = name
            walked[step] = None
            step = previous[step]
        below = overlaid.get(step) if step is not None else None
        for one in reversed(walked):
            image, scope = given[one]
            below = (overlay_images([image]), scope) if below is None else (overlay_images([below[0], image]), below[1])
            overlaid[one] = below
    return [overlaid[name] for name in ids]


def _columns_of(row_image: str | bytes) -> Columns:
    """Read the columns; msgspec looks at no byte of a value it leaves raw, so the text is checked to be UTF-8 first."""
    return _COLUMNS.decode(row_image if isinstance(row_image, str) else row_image.decode())
