"""Root of the tables: WATERSHED_HOME, or a bucket that several machines share (WATERSHED_STORE, docs/cluster.md).

The usual variables configure access to the bucket: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN. delta-rs reads them itself.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Generator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path, PosixPath
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, cast

from watershed.errors import WatershedError

if TYPE_CHECKING:
    from pyarrow.fs import PyFileSystem

VARIABLE = "WATERSHED_STORE"
ENDPOINT = "AWS_ENDPOINT_URL"


class Address(PosixPath):
    """A folder or file in a bucket, with the methods of pathlib that tables need; as text `s3a://bucket/folder`.

    `s3a` is Spark's scheme, which delta-rs supports too. A bucket has no folders, so they need not be created.
    """

    def __str__(self) -> str:
        """Return the address for Spark and delta-rs; for a relative path only the names."""
        return "s3a://" + "/".join(self.parts[1:]) if self.parts[:1] == ("s3a:",) else super().__str__()

    def __fspath__(self) -> str:
        """Return the same."""
        return str(self)

    @property
    def _key(self) -> str:
        return "/".join(self.parts[2:])

    @property
    def _bucket(self) -> PyFileSystem:
        return _bucket(self.parts[1])

    def mkdir(self, *_: object, **__: object) -> None:
        """Do nothing."""

    def is_file(self) -> bool:
        """Tell whether there is such a file."""
        return bool(self._bucket.get_file_info([self._key])[0].is_file)

    def stat(self, **_: object) -> os.stat_result:
        """Return the size of a file, and when it was written."""
        info = self._bucket.get_file_info([self._key])[0]
        if not info.is_file:
            raise FileNotFoundError(str(self))
        return cast(os.stat_result, SimpleNamespace(st_size=info.size, st_mtime=(info.mtime_ns or 0) / 1e9))

    def open(self, mode: str = "r", *_: object, **__: object) -> IO[Any]:  # type: ignore[override]
        """Open a file as bytes; written data is visible once it is closed."""
        way = self._bucket.open_output_stream if "w" in mode else self._bucket.open_input_file
        return cast(IO[Any], way(self._key))

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        """Return the content of a file."""
        with self.open("rb") as stream:
            return str(stream.read(), encoding or "utf-8", errors or "strict")

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file."""
        with contextlib.suppress(*[FileNotFoundError] if missing_ok else []):
            self._bucket.delete_file(self._key)

    def glob(self, pattern: str) -> Generator[Address, None, None]:
        """Yield files and folders that fit, part by part."""
        first, _, more = pattern.partition("/")
        for found in self._entries(recursive=False):
            if fnmatch(found.name, first):
                yield from found.glob(more) if more else (found,)

    def rglob(self, pattern: str) -> Generator[Address, None, None]:
        """Yield the files in this folder and those in it whose names fit."""
        yield from (found for found in self._entries(recursive=True) if fnmatch(found.name, pattern))

    def _entries(self, recursive: bool) -> list[Address]:
        from pyarrow.fs import FileSelector

        bucket = type(self)(*self.parts[:2])
        infos = self._bucket.get_file_info(FileSelector(self._key, allow_not_found=True, recursive=recursive))
        return sorted(bucket / info.path for info in infos if info.is_file or not recursive)


def configured_store() -> Address | None:
    """Return the bucket folder in WATERSHED_STORE; None if tables are in the home.

    Raises:
        WatershedError: it names none.
    """
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    named = re.fullmatch(r"s3a?://([a-z0-9][a-z0-9.-]+)((?:/(?!\.{1,2}(?:/|$))[\w.=-]+)*)/?", text, re.ASCII)
    if named is None:
        raise WatershedError(
            f"{VARIABLE} is {text!r}; expected s3://bucket/folder, of letters, digits and . _ - =.",
            "See: docs/cluster.md",
        )
    if os.environ.get(ENDPOINT, "").startswith("http://"):
        os.environ.setdefault("AWS_ALLOW_HTTP", "true")  # delta-rs would reject it
    return Address("s3a:", named[1], *named[2].split("/"))


def address(text: str) -> Path:
    """Return the file of a stored path."""
    return Address("s3a:", text.removeprefix("s3a://")) if text.startswith("s3a://") else Path(text)


def readable(file: Path) -> Path | IO[bytes]:
    """Return a file for PyArrow, which cannot find a file of a store by its name."""
    return file.open("rb") if isinstance(file, Address) else file


@cache
def _bucket(name: str) -> PyFileSystem:
    from deltalake.fs import DeltaStorageHandler
    from pyarrow.fs import PyFileSystem

    return PyFileSystem(DeltaStorageHandler(f"s3a://{name}"))
