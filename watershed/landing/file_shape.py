"""Checks before landing, by the first lines, that a file can contain messages if it is split as requested."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import jiter

from watershed.errors import WatershedError
from watershed.landing.content import Content, open_content
from watershed.landing.json_array import BYTE_ORDER_MARK, WHITE_SPACE
from watershed.sources import BINARY_FORMATS

if TYPE_CHECKING:
    from watershed.landing.messages import InputFile

HEAD_BYTES = 256 * 1024
HEAD_LINES = 100
_PIECE_BYTES = 1 << 20
_ENCODINGS = {
    "UTF-16": re.compile(rb"\xff\xfe|\xfe\xff"),
    "UTF-16LE": re.compile(rb"[\t\r\n -~]\0"),
    "UTF-16BE": re.compile(rb"\0[\t\r\n -~]"),
}
_BASE64 = re.compile(rb"[A-Za-z0-9+/]+={0,2}")

ONE_ARRAY = "If the file is one JSON array of messages, land it with --as array."
_FORCE = "--force lands it anyway; such messages end in quarantine."


def check_shape(file: InputFile) -> None:
    """Reject a file of a text format whose first lines cannot be messages, or that cannot be one message as a whole.

    A line can be a message if it begins with { and ends with }, or has only characters of Base64. One such line is
    enough, so broken messages among others land. Files landed with --force are not checked.

    Args:
        file: The file, split by lines or landed as a whole; envelopes and arrays are checked element by element.

    Raises: WatershedError: the finding and its remedy.
    """
    if file.is_forced or file.mode not in ("lines", "bytes") or file.format in BINARY_FORMATS:
        return
    with open_content(file.path, lambda _: None) as content:
        head = content.read(HEAD_BYTES)
        found = _problem(file, head, content)
    if found is not None:
        problem, way_out = found
        raise WatershedError(
            f"{file.path} {problem}. Expected with --as {file.mode}: {_EXPECTED[str(file.mode)]}. "
            "Nothing of this call has landed.",
            f"{way_out}\n  {_FORCE}",
        )


_EXPECTED = {
    "lines": "one message per line, as JSON object or its Base64 text",
    "bytes": "one message, as JSON object or its Base64 text",
}


def other_encoding(head: bytes) -> str:
    """Return the encoding of a text that is not UTF-8, from its first bytes; empty if it may be UTF-8."""
    return next((name for name, start in _ENCODINGS.items() if start.match(head)), "")


def _problem(file: InputFile, head: bytes, content: Content) -> tuple[str, str] | None:
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip(WHITE_SPACE)
    if not text:
        return None
    if encoding := other_encoding(head):
        return f"is {encoding} text", f"Convert it: iconv -f {encoding} -t UTF-8 {file.path} > {file.path}.utf8"
    if text.startswith(b"[") and _last_byte(head, content) == b"]":
        if _is_json(_first_line(text)) and _first_line(text) != text.rstrip(WHITE_SPACE):
            return "has a JSON array in its first line", f"Cut the arrays into lines: jq -c '.[]' {file.path}"
        return "is one JSON array", ONE_ARRAY
    if file.mode != "lines":
        return None
    is_all = len(head) < HEAD_BYTES
    if _is_document_of_lines(text, is_all):
        return (
            "is JSON over several lines (pretty-printed)",
            "If the file is one message, land it with --as bytes; if it has several, put each on one line: "
            f"jq -c . {file.path}",
        )
    lines = [line for line in head.split(b"\n")[:HEAD_LINES] if line.strip(WHITE_SPACE)]
    cut_off = b"" if is_all or head.endswith(b"\n") else head.rpartition(b"\n")[2]
    if any(_can_be_message(line, is_whole=line is not lines[-1] or line != cut_off) for line in lines):
        return None
    return (
        f"has no message in its first {len(lines)} lines" if len(lines) > 1 else "has no message in its first line",
        f"Text such as CSV is not a message: write each row as a message of the format {file.format} "
        f"(docs/formats/{file.format}.md).",
    )


def _can_be_message(line: bytes, is_whole: bool) -> bool:
    text = line.strip(WHITE_SPACE)
    if text.startswith(b"{"):
        return text.endswith(b"}") or not is_whole
    return _BASE64.fullmatch(text) is not None


def _is_document_of_lines(text: bytes, is_all: bool) -> bool:
    """Return whether a text begins with a JSON object or array that spans lines."""
    first = _first_line(text)
    if text[:1] not in (b"{", b"[") or first == text or _is_json(first):
        return False
    try:
        jiter.from_json(text)
    except ValueError as error:
        # More documents may come after the first; of a long one only the beginning was read.
        if "trailing characters" in str(error):
            return True
        return not is_all and _is_json(text, is_part=True)
    return True


def _is_json(text: bytes, is_part: bool = False) -> bool:
    try:
        jiter.from_json(text, partial_mode=is_part)
    except ValueError:
        return False
    return True


def _first_line(text: bytes) -> bytes:
    return text.partition(b"\n")[0].strip(WHITE_SPACE)


def _last_byte(head: bytes, content: Content) -> bytes:
    """Return the last byte of a file that is not white space, reading it to its end."""
    last = head
    while piece := content.read(_PIECE_BYTES):
        last = piece.rstrip(WHITE_SPACE) or last
    return last.rstrip(WHITE_SPACE)[-1:]
