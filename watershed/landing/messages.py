"""Files as messages: envelope lines, plain lines, whole files or the elements of JSON arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from watershed.errors import WatershedError
from watershed.landing.content import Content, check_packed, name_of_content, open_content
from watershed.landing.envelope import MAX_VALUE_BYTES, Message, check_line, read_line
from watershed.landing.file_shape import ONE_ARRAY, check_shape, other_encoding
from watershed.landing.json_array import ArrayError, cut_array
from watershed.sources import BINARY_FORMATS

ENVELOPE_SHAPE = (
    'Expected {"topic": "t", "partition": 0, "offset": 12, "timestamp_ms": 1605339932736, "key": "..", "value": ".."}; '
    "key_base64 and value_base64 carry bytes."
)

MAX_LINE_BYTES = 2 * MAX_VALUE_BYTES
"""Of an envelope: Base64 is a third longer than its bytes."""

_PIECE_BYTES = 1 << 20


class Mode(StrEnum):
    """How a file is split into messages."""

    ENVELOPE = "envelope"
    LINES = "lines"
    BYTES = "bytes"
    ARRAY = "array"


@dataclass(frozen=True)
class InputFile:
    """A file to land for a source."""

    path: Path
    source_name: str
    format: str
    mode: Mode
    topic: str | None = None
    """Given by --topic; else the rule of the format decides."""
    is_forced: bool = False
    """Given by --force: lands even if nothing in it can be a message."""


@dataclass(frozen=True)
class Place:
    """The topic and the partition of a file whose messages contain none (ADR 0023)."""

    topic: str
    partition: int


@dataclass(frozen=True)
class ScannedFile:
    """A checked file: its properties, without its content."""

    input: InputFile
    sha256: str
    size: int
    message_count: int


def mode_of(path: Path, given: Mode | None) -> Mode:
    """Return how to split a file: as given, else by its name.

    Raises:
        WatershedError: nothing is given and the name does not end in .jsonl, or the file is compressed without the
            matching suffix.
    """
    if given is not Mode.BYTES:
        check_packed(path)
    if given is not None:
        return given
    if name_of_content(path).endswith(".jsonl"):
        return Mode.ENVELOPE
    raise WatershedError(
        f"{path}: only a file that ends in .jsonl (or .jsonl.gz, .jsonl.zst) is read as envelope lines by default.",
        "Choose how to split it: --as lines (each line is one value), --as bytes (each file is one value), --as array "
        "(each element of a JSON array is one value) or --as envelope.",
    )


def scan_file(file: InputFile, advance: Callable[[int], None]) -> ScannedFile:
    """Read a file once, check every message and hash its content.

    Args:
        file: The file to read.
        advance: Called with the number of bytes read since the last call.

    Raises:
        WatershedError: the file cannot be read, none of its first lines can be a message, or a line is not an envelope;
            the message has file and line number.
    """
    check_shape(file)
    count = objects = 0
    with open_content(file.path, advance) as content:
        for piece in _pieces(file, content):
            count += 1
            objects += piece.startswith(b"{")
            if file.mode is Mode.ENVELOPE:
                try:
                    check_line(piece)
                except ValueError as error:
                    raise WatershedError(
                        f"{file.path}:{count}: {error}. Nothing of this call has landed.", _remedy(str(error), piece)
                    ) from None
        scanned = ScannedFile(file, content.sha256, content.size, count)
    if file.mode is Mode.ARRAY and count and not objects and not (file.is_forced or file.format in BINARY_FORMATS):
        raise WatershedError(
            f"{file.path}: none of the {count:,} elements is a JSON object. Nothing of this call has landed.",
            "Expected an array of messages, each a JSON object. --force lands it anyway.",
        )
    return scanned


def read_messages(scanned: ScannedFile, place: Place | None, advance: Callable[[int], None]) -> Iterator[Message]:
    """Read a scanned file again, message by message.

    Args:
        scanned: The file.
        place: Topic and partition of its messages; none for envelopes.
        advance: Called with the number of bytes read since the last call.

    Raises: WatershedError: the file changed after it was scanned.
    """
    file = scanned.input
    try:
        with open_content(file.path, advance) as content:
            for number, piece in enumerate(_pieces(file, content)):
                if place is None:
                    yield read_line(piece)
                else:
                    value = _without_line_end(piece) if file.mode is Mode.LINES else piece
                    yield Message(place.topic, place.partition, number, None, value, None)
            unchanged = content.sha256 == scanned.sha256
    except ValueError:  # a line that was an envelope during the scan
        unchanged = False
    if not unchanged:
        raise WatershedError(
            f"{file.path} changed while it was being landed; nothing of this call has landed.",
            "Land it again when it is complete.",
        )


def _remedy(problem: str, line: bytes) -> str:
    """Return the remedy for a line that is not an envelope."""
    if line.lstrip().startswith(b"["):
        return f"{ONE_ARRAY}\n  {ENVELOPE_SHAPE}"
    if encoding := other_encoding(line):
        return f"The file is {encoding} text; convert it: iconv -f {encoding} -t UTF-8.\n  {ENVELOPE_SHAPE}"
    if "unknown field" in problem or "missing required field" in problem:
        return f"If each line is a message itself, land it with --as lines.\n  {ENVELOPE_SHAPE}"
    if "Expected `str" in problem:
        return f'Write the message as a text: its JSON in quotes, with its own quotes as \\".\n  {ENVELOPE_SHAPE}'
    return ENVELOPE_SHAPE


def _without_line_end(line: bytes) -> bytes:
    if line.endswith(b"\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(b"\n") else line


def _pieces(file: InputFile, content: Content) -> Iterator[bytes]:
    """Yield the bytes of each message of a file: lines with their ends, the whole file, or elements of an array."""
    if file.mode is Mode.ARRAY:
        try:
            yield from cut_array(content.read, MAX_VALUE_BYTES)
        except ArrayError as error:
            raise WatershedError(
                f"{file.path}: {error}. Nothing of this call has landed.",
                "Expected one JSON array of messages. If each line is a message, land it with --as lines; if the whole "
                "file is one, with --as bytes.",
            ) from None
        return
    most = MAX_LINE_BYTES if file.mode is Mode.ENVELOPE else MAX_VALUE_BYTES
    read = content.read if file.mode is Mode.BYTES else content.readline
    number = 0
    while True:
        number += 1
        message = read(_PIECE_BYTES)
        if len(message) == _PIECE_BYTES:
            message = _rest_of_message(message, read, file, number, most)
        elif not message and (file.mode is not Mode.BYTES or number > 1):
            break
        yield message
        if file.mode is Mode.BYTES:
            break


def _rest_of_message(first: bytes, read: Callable[[int], bytes], file: InputFile, number: int, most: int) -> bytes:
    """Read a long message to its end, or until it is too long."""
    pieces, size = [first], len(first)
    is_line = file.mode is not Mode.BYTES
    while not (is_line and pieces[-1].endswith(b"\n")) and (piece := read(_PIECE_BYTES)):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise WatershedError(
                f"{file.path}:{number}: more than {size - 1:,} bytes; a message may have {most:,}. "
                "Nothing of this call has landed.",
                "Remove the message, or check that --as splits the file at the ends of messages.",
            )
    return b"".join(pieces)
