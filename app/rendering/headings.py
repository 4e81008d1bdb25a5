"""The lines above and below what a picture shows: title, remarks and legend, wrapped to its width."""

from collections.abc import Sequence
from typing import NamedTuple

from app.rendering.shapes import BLACK, QUIET, Ink, Polyline, Shape, Words
from app.rendering.texts import measure, wrap

MARGIN = 20.0
TITLE_SIZE, LINE_SIZE = 16.0, 12.0
TITLE_STEP, LINE_STEP = 22.0, 17.0
KEY_WIDTH = 22.0


class Key(NamedTuple):
    """An entry of a legend: a short line or a patch of this ink, and what it stands for; no ink: words alone."""

    words: str
    ink: Ink | None = None


def draw_heading(title: str, lines: Sequence[str], width: float) -> tuple[list[Shape], float]:
    """The title and the lines below it, and where what follows may begin."""
    shapes: list[Shape] = []
    y = MARGIN
    for text in wrap(title, width - 2 * MARGIN, TITLE_SIZE, is_bold=True):
        y += TITLE_STEP
        shapes.append(Words(MARGIN, y - 6.0, text, TITLE_SIZE, is_bold=True))
    for line in lines:
        for text in wrap(line, width - 2 * MARGIN, LINE_SIZE):
            y += LINE_STEP
            shapes.append(Words(MARGIN, y - 4.0, text, LINE_SIZE, colour=QUIET))
    return shapes, y + 12.0


def draw_legend(keys: Sequence[Key], width: float, top: float) -> tuple[list[Shape], float]:
    """The entries beside each other, in as many lines as they take, and where what follows may begin."""
    shapes: list[Shape] = []
    x, y = MARGIN, top + LINE_STEP
    for key in keys:
        swatch = 0.0 if key.ink is None else KEY_WIDTH + 6.0
        long = swatch + measure(key.words, LINE_SIZE) + 18.0
        if x > MARGIN and x + long > width:
            x, y = MARGIN, y + LINE_STEP
        if key.ink is not None:
            shapes.append(_draw_swatch(key.ink, x, y - 4.0))
        for text in wrap(key.words, width - 2 * MARGIN - swatch, LINE_SIZE):
            shapes.append(Words(x + swatch, y, text, LINE_SIZE, colour=BLACK))
            y += LINE_STEP
        y -= LINE_STEP
        x += long
    return shapes, y + 14.0


def _draw_swatch(ink: Ink, x: float, y: float) -> Shape:
    if ink.fill is None:
        return Polyline([[(x, y), (x + KEY_WIDTH, y)]], ink)
    corners = [(x, y - 6.0), (x + KEY_WIDTH, y - 6.0), (x + KEY_WIDTH, y + 6.0), (x, y + 6.0)]
    return Polyline([corners], ink, is_closed=True)
