"""The parts of a picture: shapes, texts that fit their place and hold only safe characters, title and legend.

All lengths are pixels from the upper left corner. A picture can be written as SVG or as PNG.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

# Colours of Okabe and Ito, which the colour-blind can tell apart, and greys.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
BLACK, QUIET, FAINT, WHITE = "#16191D", "#555C66", "#D4D9DF", "#FFFFFF"

Point = tuple[float, float]


class Ink(NamedTuple):
    """The colours and the width with which a shape is drawn; None as a colour: not drawn. `dash` are lengths of line
    and gap in turn.
    """

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0


class Box(NamedTuple):
    """A rectangle with rounded corners."""

    x: float
    y: float
    width: float
    height: float
    ink: Ink
    radius: float = 0.0


class Disc(NamedTuple):
    """A circle around a point."""

    x: float
    y: float
    radius: float
    ink: Ink


class Polyline(NamedTuple):
    """Straight lines that join points; the line may have gaps, which part it into pieces."""

    pieces: Sequence[Sequence[Point]]
    ink: Ink
    is_closed: bool = False


class BezierCurve(NamedTuple):
    """A start and cubic Bézier curves, each with two control points and an end."""

    start: Point
    bends: Sequence[tuple[Point, Point, Point]]
    ink: Ink


class Words(NamedTuple):
    """A line of text; `x` is the start, middle or end of the text, `y` its base line."""

    x: float
    y: float
    text: str
    size: float = 12.0
    anchor: str = "start"
    colour: str = BLACK
    is_bold: bool = False


class Group(NamedTuple):
    """Shapes that belong together; programs that show an SVG show the group's title under the pointer."""

    title: str
    shapes: "Sequence[Shape]"


Shape = Box | Disc | Polyline | BezierCurve | Words | Group


class Picture(NamedTuple):
    """The shapes of a picture on white, with its title among them; the description says in words what it shows."""

    width: float
    height: float
    title: str
    description: str
    shapes: Sequence[Shape]


MOST_MARKS = 2
"""The most accents on one letter; more would cover the lines above."""
NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[]{}/\\ "), frozenset("mwMW@%&→…—<>=+~#^_")


def clean(text: str) -> str:
    """Returns the text in one line, without characters that XML forbids or that reverse the direction of writing."""
    return " ".join("".join(_keep(unicodedata.normalize("NFC", text))).split())


def _keep(text: str) -> Iterator[str]:
    marks = 0
    for sign in text:
        kind = unicodedata.category(sign)
        marks = marks + 1 if kind.startswith("M") else 0
        if kind[0] in "CZ":  # control, format, surrogate, private, unassigned; every kind of space
            yield " "
        elif marks <= MOST_MARKS:
            yield sign


def measure(text: str, size: float, *, is_bold: bool = False) -> float:
    """Returns an upper estimate of the width of a text in pixels, in DejaVu Sans or Verdana."""
    return sum(map(_measure_sign, text)) * size * (1.1 if is_bold else 1.0)


def _measure_sign(sign: str) -> float:
    """Returns the width of a character as a fraction of the font's size."""
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.3  # emoji of the common fonts are wider than the letters of East Asia
    if unicodedata.combining(sign):
        return 0.0
    if sign in NARROW:
        return 0.4
    return 1.0 if sign in WIDE else 0.72 if sign.isupper() else 0.64


def shorten(text: str, width: float, size: float, *, is_bold: bool = False) -> str:
    """Returns the cleaned text, cut and ended with … if it is wider than `width` pixels."""
    text = clean(text)
    if measure(text, size, is_bold=is_bold) <= width:
        return text
    left = width - measure("…", size, is_bold=is_bold)
    kept = 0
    for sign in text:
        left -= measure(sign, size, is_bold=is_bold)
        if left < 0.0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def wrap(text: str, width: float, size: float, *, is_bold: bool = False) -> list[str]:
    """Breaks the cleaned text between words into lines of at most `width` pixels; a word that is wider is cut."""
    lines: list[str] = []
    for word in clean(text).split(" "):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and measure(joined, size, is_bold=is_bold) <= width:
            lines[-1] = joined
        else:
            lines.append(shorten(word, width, size, is_bold=is_bold))
    return lines


MARGIN = 20.0
TITLE_SIZE, LINE_SIZE = 16.0, 12.0
TITLE_STEP, LINE_STEP = 22.0, 17.0
KEY_WIDTH = 22.0


class Key(NamedTuple):
    """An entry of a legend: a line or a patch in this ink, and what it means; without ink only the words."""

    words: str
    ink: Ink | None = None


def draw_heading(title: str, lines: Sequence[str], width: float) -> tuple[list[Shape], float]:
    """Draws a title and the lines below it; returns the shapes, and where the free space below begins."""
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
    """Draws the entries of a legend side by side; returns the shapes, and where the free space below begins."""
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


MOST_POINTS = 2_000
"""A line of more points keeps only those that can be told apart."""


def thin(points: list[Point]) -> list[Point]:
    """Of many points in each half of a pixel's width the first, the lowest, the highest and the last."""
    if len(points) <= MOST_POINTS:
        return points
    kept: list[Point] = []
    for _, run in groupby(points, key=lambda point: round(2.0 * point[0])):
        column = list(run)
        levels = [y for _, y in column]
        ends = {0, len(column) - 1, levels.index(min(levels)), levels.index(max(levels))}
        kept += [column[place] for place in sorted(ends)]
    return kept
