"""How rows are printed: plain aligned text, JSON or CSV."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from rich.cells import cell_len


class OutputFormat(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


def counted(value: int, noun: str) -> str:
    """Return a number and its noun: 1 table, 2 tables."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Return lines with columns as wide as their widest cell; nothing is truncated.

    Args:
        header: n column names.
        rows: Rows of n cells; a cell may have several lines.
        right: The right-aligned columns.
    """
    blocks = [[cell.split("\n") for cell in row] for row in (header, *rows)]
    widths = [max(cell_len(line) for block in blocks for line in block[column]) for column in range(len(header))]
    rule = "  ".join("-" * width for width in widths)
    lines = []
    for number, block in enumerate(blocks):
        for line_number in range(max(map(len, block), default=0)):
            cells = [cell[line_number] if line_number < len(cell) else "" for cell in block]
            padded = [_padded(cell, widths[column], column in right) for column, cell in enumerate(cells)]
            lines.append("  ".join(padded))
        if number == 0:
            lines.append(rule)
    return "\n".join(line.rstrip() for line in lines)


def _padded(cell: str, width: int, to_the_right: bool) -> str:
    padding = " " * (width - cell_len(cell))
    return padding + cell if to_the_right else cell + padding
