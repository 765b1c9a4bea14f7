"""The content of a landing file: decompressed, hashed and counted as a stream, never completely in memory."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from watershed.errors import WatershedError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CODECS = {".gz": "gzip", ".zst": "zstd"}
"""Compressed files by the ends of their names."""

_PACKED = {
    b"\x1f\x8b": ("gzip", ".gz"),
    b"\x28\xb5\x2f\xfd": ("zstd", ".zst"),
    b"BZh": ("bzip2", ""),
    b"\xfd7zXZ\x00": ("xz", ""),
    b"PK\x03\x04": ("zip", ""),
}
"""How compressed files begin, with the end of the name that has them decompressed."""

_PIECE_BYTES = 1 << 20


class Content(io.BufferedReader):
    """Reads and decompresses a file, and keeps the hash and the size of its content.

    Args:
        file: The stored file.
        codec: Its compression; empty if it is not compressed.
        advance: Called with the number of bytes of the stored file that were read since the last call.
    """

    def __init__(self, file: io.FileIO, codec: str | None, advance: Callable[[int], None]) -> None:
        """Open the file for reading."""
        self._unpacked = _Unpacked(file, codec, advance)
        super().__init__(self._unpacked, _PIECE_BYTES)

    @property
    def sha256(self) -> str:
        """Hash of the content read so far."""
        return self._unpacked.digest.hexdigest()

    @property
    def size(self) -> int:
        """Number of bytes of content read so far."""
        return self._unpacked.size


class _Unpacked(io.RawIOBase):
    def __init__(self, file: io.FileIO, codec: str | None, advance: Callable[[int], None]) -> None:
        self.digest, self.size = hashlib.sha256(), 0
        self._file, self._codec, self._advance, self._reported = file, codec, advance, 0
        self._stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), codec) if codec else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        count = self._decompress(self._stream, view) if self._stream else self._file.readinto(view) or 0
        self.digest.update(view[:count])
        self.size += count
        if (done := self._file.tell()) > self._reported:
            self._advance(done - self._reported)
            self._reported = done
        return count

    def _decompress(self, stream: pa.NativeFile, view: memoryview) -> int:
        try:
            return int(stream.readinto(view))
        except (OSError, pa.ArrowException) as error:
            at, reason = self._file.tell(), str(error).splitlines()[0].rstrip(".")
            raise WatershedError(
                f"{self._file.name} is damaged or no {self._codec}: {reason}, at byte {at:,} of the file, "
                f"after {self.size:,} bytes of content. Nothing of this call has landed.",
                f"Get the file again; check it with: {self._codec} -t {self._file.name}",
            ) from None


@contextlib.contextmanager
def open_content(path: Path, advance: Callable[[int], None]) -> Iterator[Content]:
    """Open a landing file; it is decompressed if its name ends in .gz or .zst.

    Args:
        path: The file.
        advance: Called with the number of bytes of the file that were read since the last call.

    Raises:
        WatershedError: the file cannot be read, or cannot be decompressed.
    """
    codec = CODECS.get(path.suffix)
    try:
        with path.open("rb", buffering=0) as file, contextlib.closing(Content(file, codec, advance)) as content:
            yield content
    except OSError as error:
        raise WatershedError(f"{path} cannot be read: {error.strerror or error}.") from error


def name_of_content(path: Path) -> str:
    """Return the name of a file without its compression suffix."""
    return path.stem if path.suffix in CODECS else path.name


def check_packed(path: Path) -> None:
    """Reject a compressed file without the matching suffix.

    Raises: WatershedError: with the remedy.
    """
    if path.suffix in CODECS:
        return
    try:
        with path.open("rb") as stream:
            start = stream.read(max(map(len, _PACKED)))
    except OSError:  # reported where the file is read
        return
    for magic, (name, suffix) in _PACKED.items():
        if start.startswith(magic):
            raise WatershedError(
                f"{path} is compressed ({name}), but its name lacks the suffix.",
                f"Name it {path}{suffix}, and it is decompressed while it lands."
                if suffix
                else "Unpack it, and land its content; only .gz and .zst are decompressed.",
            )
