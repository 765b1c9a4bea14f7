"""Where tables are: in WATERSHED_HOME, or in a bucket that several machines share (WATERSHED_STORE, docs/cluster.md).

A file of a bucket is a path of universal-pathlib over obstore, which reads the same variables as delta-rs:
AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from watershed.errors import WatershedError

if TYPE_CHECKING:
    from upath import UPath

VARIABLE = "WATERSHED_STORE"
ENDPOINT = "AWS_ENDPOINT_URL"
Location: TypeAlias = "Path | UPath"
"""A file or folder of this machine or of a bucket; as text, what Spark and delta-rs read."""

# As Spark names S3; delta-rs and obstore read both names.
_PROTOCOL = "s3a"


def configured_store() -> UPath | None:
    """Return the folder of a bucket that WATERSHED_STORE names; nothing where tables are in the home.

    Raises:
        WatershedError: the variable names no folder of a bucket.
    """
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    named = re.fullmatch(r"s3a?://([a-z0-9][a-z0-9.-]+(?:/(?!\.{1,2}(?:/|$))[\w.=-]+)*)/?", text, re.ASCII)
    if named is None:
        raise WatershedError(
            f"{VARIABLE} is {text!r}; expected s3://bucket/folder, of letters, digits and . _ - =.",
            "See: docs/cluster.md",
        )
    if os.environ.get(ENDPOINT, "").startswith("http://"):
        os.environ.setdefault("AWS_ALLOW_HTTP", "true")  # else delta-rs and obstore refuse it
    return cast("UPath", location(f"{_PROTOCOL}://{named[1]}"))


def location(text: str) -> Location:
    """Return the file that a text names."""
    return _bucket_paths()(text) if text.startswith(f"{_PROTOCOL}://") else Path(text)


def readable(file: Location) -> Path | IO[bytes]:
    """Return a file in a form that PyArrow reads: a path, or the open file of a bucket."""
    return file if isinstance(file, Path) else cast(IO[bytes], file.open("rb"))


def relative(file: Location, folder: Location) -> PurePosixPath:
    """Return the path of a file in a folder that contains it."""
    return PurePosixPath(str(file)).relative_to(str(folder))


@cache
def _bucket_paths() -> type[UPath]:
    # Imported here: a home without a bucket saves the time.
    from obstore.fsspec import register
    from upath import UPath

    register(_PROTOCOL)
    return UPath
