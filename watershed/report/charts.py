"""Plots as SVG: each is drawn for a column of 340 pixels, so that its text can be read on a phone and on paper.

A plot has a title and a description for those who do not see it; the same numbers stand in a table beside it. Colours
and fonts come from the page's style sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from watershed.texts import cut, escaped, number

WIDTH = 340
_PLOT_HEIGHT = 110
_LEFT = 46
_TOP = 10
_WIDEST_BAR = 24
_ROW_HEIGHT = 40
# What is there at all is seen, however much larger the rest is: ten messages in quarantine beside a million read.
_LEAST = 2.5
_LONGEST_LABEL = 44


def stacked_columns(title: str, description: str, steps: Sequence[str], series: Mapping[str, Sequence[int]]) -> str:
    """Draw one column per step of time, made of one piece per series.

    Args:
        title: What the plot is of.
        description: What it shows, in words.
        steps: n labels; the first and the last are written below.
        series: n numbers per series; its name is the CSS class of its pieces.
    """
    totals = [sum(values) for values in zip(*series.values(), strict=True)]
    most = max(totals, default=0)
    slot = (WIDTH - _LEFT) / max(len(steps), 1)
    bottom = _TOP + _PLOT_HEIGHT
    pieces = [
        f'<path class="axis" d="M{_LEFT} {_TOP}H{WIDTH}M{_LEFT} {bottom}H{WIDTH}"/>',
        f'<text x="{_LEFT - 6}" y="{_TOP + 4}" text-anchor="end">{number(most)}</text>',
        f'<text x="{_LEFT - 6}" y="{bottom + 4}" text-anchor="end">0</text>',
        f'<text x="{_LEFT}" y="{bottom + 18}">{escaped(steps[0])}</text>' if steps else "",
        f'<text x="{WIDTH}" y="{bottom + 18}" text-anchor="end">{escaped(steps[-1])}</text>' if len(steps) > 1 else "",
        *(
            f'<rect class="{escaped(name)}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
            for name, x, y, width, height in _pieces(series, most, slot)
        ),
    ]
    return _svg(title, description, bottom + 26, pieces)


def stacked_rows(title: str, description: str, rows: Mapping[str, Mapping[str, int]]) -> str:
    """Draw a bar per row below its name and number, made of one piece per series; all have one scale.

    Args:
        title: What the plot is of.
        description: What it shows, in words.
        rows: The numbers of each row by series; the name of a series is the CSS class of its pieces.
    """
    most = max((sum(parts.values()) for parts in rows.values()), default=0)
    pieces = []
    for place, (name, parts) in enumerate(rows.items()):
        y, x = place * _ROW_HEIGHT, 0.0
        total = number(sum(parts.values()))
        pieces += [
            f'<text x="0" y="{y + 14}">{escaped(cut(name, _LONGEST_LABEL - len(total)))}</text>',
            f'<text x="{WIDTH}" y="{y + 14}" text-anchor="end">{total}</text>',
            f'<path class="track" d="M0 {y + 26}H{WIDTH}"/>',
        ]
        for series, value in parts.items():
            if value:
                width = max(_LEAST, WIDTH * value / most)
                x = min(x, WIDTH - width)
                pieces.append(
                    f'<rect class="{escaped(series)}" x="{x:.1f}" y="{y + 20}" width="{width:.1f}" height="12"/>'
                )
                x += width
    return _svg(title, description, max(len(rows) * _ROW_HEIGHT, 1), pieces)


def _pieces(
    series: Mapping[str, Sequence[int]], most: int, slot: float
) -> Iterator[tuple[str, float, float, float, float]]:
    """Give name, x, y, width and height of every piece that is not empty, the first series at the bottom."""
    width = min(_WIDEST_BAR, slot * 0.8)
    for step, values in enumerate(zip(*series.values(), strict=True)):
        y = float(_TOP + _PLOT_HEIGHT)
        for name, value in zip(series, values, strict=True):
            if value:
                height = max(_LEAST, _PLOT_HEIGHT * value / most)
                y -= height
                yield name, _LEFT + slot * step + (slot - width) / 2, y, width, height


def _svg(title: str, description: str, height: int, pieces: Sequence[str]) -> str:
    return (
        f'<svg role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
        f"<title>{escaped(title)}</title><desc>{escaped(description)}</desc>{''.join(pieces)}</svg>"
    )
