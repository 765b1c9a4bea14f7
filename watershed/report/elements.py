"""The parts that a page is put together from; what they are given as values is escaped here, and only here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from watershed.report.data import Unread
from watershed.report.texts import escaped, moment, number

MOST_ROWS = 500
"""Rows of one table; what is beyond is told, so that the page of any warehouse can be opened."""
_LONG = 40
Value = str | int | dt.datetime | None


def section(name: str, title: str, *content: str) -> str:
    """Return a section; links lead to its name."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escaped(title)}</h2>'
        f"{''.join(content)}</section>\n"
    )


def heading(title: str) -> str:
    """Return the heading of a part of a section."""
    return f"<h3>{escaped(title)}</h3>"


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{escaped(text)}</p>"


def unread(part: Unread) -> str:
    """Return what stands in place of a part that could not be read."""
    return f'<p class="unread">This could not be read. The server said: {escaped(part.message)}</p>'


def pair(plot: str, table: str) -> str:
    """Return a plot and the table of its numbers, side by side where there is room."""
    return f'<div class="pair"><figure>{plot}</figure><div>{table}</div></div>'


def card(title: str, plot: str, note: str) -> str:
    """Return a small plot under its title."""
    return f"<figure><figcaption><b>{escaped(title)}</b> <span>{escaped(note)}</span></figcaption>{plot}</figure>"


def details(summary: str, content: str) -> str:
    """Return what is shown on demand, and always on paper."""
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def data_table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Return a table that scrolls by itself where it is wider than the page.

    Args:
        caption: What its rows are.
        columns: n names.
        rows: Rows of n values; the first names the row.
    """
    numeric = {place for row in rows for place, value in enumerate(row) if isinstance(value, int)}
    head = "".join(
        f'<th scope="col"{_class("number" if place in numeric else "")}>{escaped(name)}</th>'
        for place, name in enumerate(columns)
    )
    body = "".join(
        f'<tr><th scope="row"{_class(_kind(row[0]))}>{_text(row[0])}</th>{_cells(row[1:])}</tr>'
        for row in rows[:MOST_ROWS]
    )
    more = len(rows) - MOST_ROWS
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escaped(caption)}"><table>'
        f"<caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        + (paragraph(f"{number(more)} more are left out.") if more > 0 else "")
    )


def _cells(values: Sequence[Value]) -> str:
    return "".join(f"<td{_class(_kind(value))}>{_text(value)}</td>" for value in values)


def _kind(value: Value) -> str:
    if isinstance(value, int):
        return "number"
    return "long" if isinstance(value, str) and len(value) > _LONG else ""


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _text(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return number(value)
    if isinstance(value, dt.datetime):
        return f"<time>{moment(value)}</time>"
    return escaped(value).replace("_", "_<wbr>")  # on paper long names have to break somewhere
