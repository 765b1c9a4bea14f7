"""Files as messages: envelope lines, plain lines or whole files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from watershed.envelope import MAX_VALUE_BYTES, Message, check_line, read_line
from watershed.errors import WatershedError

_GZIP = b"\x1f\x8b"
ENVELOPE_SHAPE = (
    'Expected {"topic": "t", "partition": 0, "offset": 12, "timestamp_ms": 1605339932736, "key": "..", "value": ".."}; '
    "key_base64 and value_base64 carry bytes."
)


class Mode(StrEnum):
    """How a file is cut into messages."""

    ENVELOPE = "envelope"
    LINES = "lines"
    BYTES = "bytes"


@dataclass(frozen=True)
class InputFile:
    """A file to land for a source."""

    path: Path
    source_name: str
    format: str
    mode: Mode


@dataclass(frozen=True)
class ScannedFile:
    """A checked file: what it holds, without its content in memory."""

    input: InputFile
    sha256: str
    size: int
    message_count: int


def mode_of(path: Path, given: Mode | None) -> Mode:
    """Return how to cut a file: as given, else by its name.

    Raises:
        WatershedError: nothing is given and the name does not end in .jsonl, or its lines are compressed.
    """
    if given is not Mode.BYTES and _starts_with(path, _GZIP):
        raise WatershedError(f"{path} is compressed (gzip), which is not undone here.", f"Unpack it: gunzip {path}")
    if given is not None:
        return given
    if path.suffix == ".jsonl":
        return Mode.ENVELOPE
    raise WatershedError(
        f"{path}: only a file that ends in .jsonl is taken for envelope lines.",
        "Say how to cut it: --as lines (each line is one value), --as bytes (each file is one value) or --as envelope.",
    )


def scan_file(file: InputFile, advance: Callable[[int], None]) -> ScannedFile:
    """Read a file once, check every message and hash its bytes.

    Args:
        file: What to read.
        advance: Called with the number of bytes read since the last call.

    Raises:
        WatershedError: the file cannot be read, or a line is no envelope; the message has file and line number.
    """
    digest = hashlib.sha256()
    size = count = 0
    for piece in _pieces(file, advance):
        count += 1
        size += len(piece)
        digest.update(piece)
        if len(piece) > MAX_VALUE_BYTES:
            raise WatershedError(f"{file.path}: message {count} is longer than {MAX_VALUE_BYTES:,} bytes.")
        if file.mode is Mode.ENVELOPE:
            try:
                check_line(piece)
            except ValueError as error:
                raise WatershedError(
                    f"{file.path}:{count}: {error}. Nothing of this call has landed.", _remedy(str(error))
                ) from None
    return ScannedFile(file, digest.hexdigest(), size, count)


def read_messages(scanned: ScannedFile, advance: Callable[[int], None]) -> Iterator[Message]:
    """Read a scanned file again, message by message.

    Raises:
        WatershedError: the file is not what it was when it was scanned.
    """
    file = scanned.input
    name = file.path.name
    digest = hashlib.sha256()
    try:
        for number, piece in enumerate(_pieces(file, advance)):
            digest.update(piece)
            if file.mode is Mode.ENVELOPE:
                yield read_line(piece)
            elif file.mode is Mode.LINES:
                yield Message(name, 0, number, None, _without_line_end(piece), None)
            else:
                yield Message(name, 0, 0, None, piece, None)
        unchanged = digest.hexdigest() == scanned.sha256
    except ValueError:  # a line that was an envelope before
        unchanged = False
    if not unchanged:
        raise WatershedError(
            f"{file.path} changed while it was being landed; nothing of this call has landed.",
            "Land it again when it is complete.",
        )


def _remedy(problem: str) -> str:
    """Return what to do about a line that is no envelope."""
    if "unknown field" in problem or "missing required field" in problem:
        return f"If each line is a message itself, land it with --as lines.\n  {ENVELOPE_SHAPE}"
    if "Expected `str" in problem:
        return f'Put the message there as a text: its JSON in quotes, with its own quotes as \\".\n  {ENVELOPE_SHAPE}'
    return ENVELOPE_SHAPE


def _starts_with(path: Path, start: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(start)) == start
    except OSError:  # told where it is read
        return False


def _without_line_end(line: bytes) -> bytes:
    if line.endswith(b"\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(b"\n") else line


def _pieces(file: InputFile, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the bytes of each message of a file: lines with their ends, or the whole file."""
    try:
        with file.path.open("rb", buffering=1 << 20) as stream:
            if file.mode is Mode.BYTES:
                content = stream.read(MAX_VALUE_BYTES + 1)
                advance(len(content))
                yield content
                return
            unreported = 0
            for line in stream:
                yield line
                unreported += len(line)
                if unreported > 1 << 20:
                    advance(unreported)
                    unreported = 0
            advance(unreported)
    except OSError as error:
        raise WatershedError(f"{file.path} cannot be read: {error.strerror or error}.") from error
