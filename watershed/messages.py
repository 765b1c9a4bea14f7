"""Files as messages: envelope lines, plain lines or whole files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from watershed.envelope import MAX_VALUE_BYTES, Message, check_line, read_line
from watershed.errors import WatershedError

ENVELOPE_SHAPE = (
    'Expected {"topic": "t", "partition": 0, "offset": 12, "timestamp_ms": 1605339932736, "key": "..", "value": ".."}; '
    "key_base64 and value_base64 carry bytes."
)

MAX_LINE_BYTES = 2 * MAX_VALUE_BYTES
"""Of an envelope: Base64 is a third longer than its bytes."""

_PIECE_BYTES = 1 << 20


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
        WatershedError: nothing is given and the name does not end in .jsonl.
    """
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
        if file.mode is Mode.ENVELOPE:
            try:
                check_line(piece)
            except ValueError as error:
                raise WatershedError(
                    f"{file.path}:{count}: {error}. Nothing of this call has landed.", ENVELOPE_SHAPE
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


def _without_line_end(line: bytes) -> bytes:
    if line.endswith(b"\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(b"\n") else line


def _pieces(file: InputFile, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the bytes of each message of a file: lines with their ends, or the whole file."""
    most = MAX_LINE_BYTES if file.mode is Mode.ENVELOPE else MAX_VALUE_BYTES
    number = unreported = 0
    try:
        with file.path.open("rb", buffering=_PIECE_BYTES) as stream:
            read = stream.read if file.mode is Mode.BYTES else stream.readline
            while True:
                number += 1
                message = piece = read(_PIECE_BYTES)
                if len(piece) == _PIECE_BYTES:
                    message = _rest_of_message(piece, read, file, number, most, advance)
                elif not piece and (file.mode is not Mode.BYTES or number > 1):
                    break
                yield message
                unreported += len(piece)
                if unreported > _PIECE_BYTES:
                    advance(unreported)
                    unreported = 0
                if file.mode is Mode.BYTES:
                    break
            advance(unreported)
    except OSError as error:
        raise WatershedError(f"{file.path} cannot be read: {error.strerror or error}.") from error


def _rest_of_message(
    first: bytes,
    read: Callable[[int], bytes],
    file: InputFile,
    number: int,
    most: int,
    advance: Callable[[int], None],
) -> bytes:
    """Read a long message to its end, or until it is too long; report all but its first piece."""
    pieces, size = [first], len(first)
    is_line = file.mode is not Mode.BYTES
    while not (is_line and pieces[-1].endswith(b"\n")) and (piece := read(_PIECE_BYTES)):
        pieces.append(piece)
        size += len(piece)
        advance(len(piece))
        if size > most:
            raise WatershedError(
                f"{file.path}:{number}: more than {size - 1:,} bytes; a message may have {most:,}. "
                "Nothing of this call has landed.",
                "Leave the message out, or check that the file is cut where messages end (--as).",
            )
    return b"".join(pieces)
