"""The parts that a page is put together from; what they are given as values is escaped here, and only here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from watershed.health.verdict import Missing
from watershed.texts import escaped, moment, number

MOST_ROWS = 500
"""Rows of one table; what is beyond is told, so that the page of any warehouse can be opened."""
_LONG = 40


class Badge(NamedTuple):
    """A state: the word for it, and the class of its colour (good, doubtful, bad; empty for none)."""

    word: str
    kind: str


class Code(str):
    """A text that is to be typed as it stands."""


Value = str | int | dt.datetime | Badge | None


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


def unread(part: Missing) -> str:
    """Return the reason in place of a part that is not known."""
    return f'<p class="unread">This could not be read: {escaped(part.reason)}</p>'


def tiles(values: Sequence[tuple[str, str, str, Badge]]) -> str:
    """Return one tile per section, label, value and badge; each leads to the section."""
    return (
        '<ul class="tiles">'
        + "".join(
            f'<li><a href="#{name}"><span>{escaped(label)}</span><b>{escaped(value)}</b>{_text(badge)}</a></li>'
            for name, label, value, badge in values
        )
        + "</ul>"
    )


def verdict_line(badge: Badge) -> str:
    """Return the first line of the page: the verdict, in words and with a colour."""
    return f'<p class="verdict">{_text(badge)}</p>'


def findings_list(found: Sequence[tuple[str, Badge, str, str]]) -> str:
    """Return findings in the given order.

    Args:
        found: For each the section that shows it, its level, its text and its remedy.
    """
    rows = "".join(
        f'<li>{_text(badge)} <a href="#{name}">{escaped(text)}</a><p>{escaped(remedy)}</p></li>'
        for name, badge, text, remedy in found
    )
    return f'<ol class="findings">{rows}</ol>'


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
        f'<tr><th scope="row"{_class(_kind(row[0]))}>{_text(row[0])}</th>{_cells(row[1:], columns[1:])}</tr>'
        for row in rows[:MOST_ROWS]
    )
    more = len(rows) - MOST_ROWS
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escaped(caption)}"><table>'
        f"<caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        + (paragraph(f"{number(more)} more are left out.") if more > 0 else "")
    )


def _cells(values: Sequence[Value], columns: Sequence[str]) -> str:
    """Return cells; in a narrow window each stands below the name of its column."""
    return "".join(
        f'<td data-column="{escaped(column)}"{_class(_kind(value))}>{_text(value)}</td>'
        for value, column in zip(values, columns, strict=True)
    )


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
    if isinstance(value, Badge):
        return f'<span class="badge {value.kind}">{escaped(value.word)}</span>'
    if isinstance(value, Code):
        return f"<code>{escaped(value)}</code>"
    return escaped(value).replace("_", "_<wbr>")  # on paper long names have to break somewhere
