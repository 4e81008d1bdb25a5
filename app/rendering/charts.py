"""Draws charts: panels with lines over a common axis of times or numbers; an unknown value is a gap in its line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import isfinite
from typing import NamedTuple

from app.rendering.axis_marks import list_between, list_marks, list_times, write_times
from app.rendering.picture_shapes import (
    BLACK,
    BLUE,
    FAINT,
    GREEN,
    MARGIN,
    ORANGE,
    QUIET,
    RED,
    Box,
    Disc,
    Group,
    Ink,
    Key,
    Picture,
    Point,
    Polyline,
    Shape,
    Words,
    draw_heading,
    draw_legend,
    measure,
    shorten,
    thin,
)
from planner.wording import write_count, write_number

WIDTH, LEFT, RIGHT = 960.0, 74.0, 22.0
PANEL_HEIGHT = 170.0
SIZE = 11.0
MARK = 5.0

SOLID = Ink(stroke=BLUE, width=1.8)
DASHED = Ink(stroke="#B84D00", width=1.8, dash=(6.0, 3.0))
DOTTED = Ink(stroke=GREEN, width=1.8, dash=(2.0, 3.0))
MISSED = Ink(fill=RED, stroke="#8C1D18")
BAND = Ink(fill=ORANGE, opacity=0.25)

Values = Sequence[float | None]


class Line(NamedTuple):
    """One line of a panel. With `is_step`, each value holds until the next one."""

    name: str
    values: Values
    ink: Ink
    is_step: bool = False


class Upright(NamedTuple):
    """A vertical line through a panel of a chart, with words beside its upper end."""

    x: float
    words: str


class Sign(NamedTuple):
    """A mark at a point of a chart: `up`, `down`, `both`, `cross` or `dot`; the words appear under the pointer."""

    x: float
    y: float
    kind: str
    words: str


@dataclass(frozen=True)
class Panel:
    """The lines, marks and title of one panel; values above `cap` are drawn at the panel's upper edge."""

    label: str
    lines: Sequence[Line]
    write: Callable[[float | None], str] = write_number
    cap: float | None = None
    band: tuple[Values, Values] | None = None
    shaded: Sequence[bool] = ()
    uprights: Sequence[Upright] = ()
    signs: Sequence[Sign] = ()
    keys: Sequence[Key] = ()
    is_whole: bool = False


@dataclass(frozen=True)
class Chart:
    """Panels one below the other over a common axis; `xs` are seconds since 1970 where `is_time`, else numbers.

    The axis also reaches the values in `reach`.
    """

    title: str
    lines: Sequence[str]
    xs: Sequence[float]
    panels: Sequence[Panel]
    axis: str
    is_time: bool = True
    reach: Sequence[float] = ()
    nothing: str = "There is nothing to show yet."
    description: str = ""


@dataclass(frozen=True)
class _Frame:
    """Turns the values of a panel into positions in the picture."""

    xs: Sequence[float]
    first: float
    last: float
    top: float
    marks: Sequence[float]

    @property
    def bottom(self) -> float:
        return self.top + PANEL_HEIGHT

    def x(self, x: float) -> float:
        """Returns the horizontal position of a value on the axis; an axis with a single value has it in the middle."""
        if self.last <= self.first:
            return (LEFT + WIDTH - RIGHT) / 2.0
        return LEFT + (x - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT)

    def y(self, y: float) -> float:
        return self.bottom - min(max(y, 0.0), self.marks[-1]) / self.marks[-1] * PANEL_HEIGHT


def draw_chart(chart: Chart) -> Picture:
    """Draws all panels of a chart, or a sentence if the chart has no values."""
    shapes, y = draw_heading(chart.title, chart.lines, WIDTH)
    if not chart.xs:
        shapes.append(Words(MARGIN, y + 24.0, chart.nothing, 13.0))
        return Picture(WIDTH, y + 56.0, chart.title, " ".join([*chart.lines, chart.nothing]), shapes)
    first, last = min([*chart.xs, *chart.reach]), max([*chart.xs, *chart.reach])
    for panel in chart.panels:
        keys, y = draw_legend(list_keys(panel), WIDTH, y)
        shapes += keys
        frame = _Frame(chart.xs, first, last, y, find_marks(panel))
        shapes += draw_panel(panel, frame)
        y = frame.bottom + 12.0
    shapes += draw_axis(chart, frame)
    return Picture(WIDTH, y + 34.0, chart.title, chart.description or " ".join(chart.lines), shapes)


def find_marks(panel: Panel) -> list[float]:
    """Returns the marks of a panel's vertical axis, up to the highest value or the cap."""
    highest = _find_highest(panel)
    if panel.cap is not None:
        highest = min(highest, panel.cap)
    return list_marks(highest, is_whole=panel.is_whole)


def _find_highest(panel: Panel) -> float:
    shown = [one for line in panel.lines for one in line.values if is_known(one)]
    shown += [one for edge in panel.band or () for one in edge if is_known(one)]
    return max([*(one or 0.0 for one in shown), *(sign.y for sign in panel.signs)], default=0.0)


def is_known(value: float | None) -> bool:
    """Tells whether the value is a finite number; other values cannot be drawn."""
    return value is not None and isfinite(value)


def list_keys(panel: Panel) -> list[Key]:
    """Returns the legend of a panel: its title and the names of its lines, with a note if values are cut off."""
    drawn = [line for line in panel.lines if any(map(is_known, line.values))]
    keys = [Key(panel.label), *(Key(line.name, line.ink) for line in drawn), *panel.keys]
    if panel.cap is not None and _find_highest(panel) > (top := find_marks(panel)[-1]):
        keys.append(Key(f"(above {panel.write(top)} at the upper edge)"))
    return keys


def draw_panel(panel: Panel, frame: _Frame) -> list[Shape]:
    """Draws the grid of a panel, then shaded stretches, the band, the lines and the marks."""
    shapes = list(_draw_grid(panel, frame))
    if panel.band is not None:
        shapes += _draw_band(panel.band, frame)
    for upright in panel.uprights:
        x = frame.x(upright.x)
        shapes.append(Polyline([[(x, frame.top), (x, frame.bottom)]], Ink(stroke=BLACK, dash=(2.0, 3.0))))
    for line in panel.lines:
        shapes += _draw_line(line, frame)
    shapes += [_draw_sign(sign, frame) for sign in panel.signs]
    shapes += _draw_words(panel.uprights, frame)
    return shapes


def _draw_grid(panel: Panel, frame: _Frame) -> list[Shape]:
    shapes: list[Shape] = []
    for is_shaded, run in groupby(range(len(panel.shaded)), key=lambda index: panel.shaded[index]):
        if is_shaded:
            places = list(run)
            after = min(places[-1] + 1, len(frame.xs) - 1)
            left, right = frame.x(frame.xs[places[0]]), frame.x(frame.xs[after])
            shapes.append(
                Box(left, frame.top, max(right - left, 2.0), PANEL_HEIGHT, Ink(fill=RED, opacity=0.2))
            )
    for mark in frame.marks:
        y = frame.y(mark)
        shapes.append(Polyline([[(LEFT, y), (WIDTH - RIGHT, y)]], Ink(stroke=FAINT)))
        shapes.append(Words(LEFT - 7.0, y + 4.0, panel.write(mark), SIZE, "end", QUIET))
    return shapes


def _draw_band(band: tuple[Values, Values], frame: _Frame) -> list[Shape]:
    shapes: list[Shape] = []
    lower, upper = band
    known = [is_known(a) and is_known(b) for a, b in zip(lower, upper, strict=True)]
    for is_shown, run in groupby(range(len(known)), key=known.__getitem__):
        if is_shown:
            places = list(run)
            above = [(frame.x(frame.xs[one]), frame.y(upper[one] or 0.0)) for one in places]
            below = [(frame.x(frame.xs[one]), frame.y(lower[one] or 0.0)) for one in reversed(places)]
            shapes.append(Polyline([above + below], BAND, is_closed=True))
    return shapes


def _draw_line(line: Line, frame: _Frame) -> list[Shape]:
    pieces, dots = [], []
    for is_shown, run in groupby(range(len(line.values)), key=lambda index: is_known(line.values[index])):
        if not is_shown:
            continue
        places = list(run)
        points = thin([(frame.x(frame.xs[one]), frame.y(line.values[one] or 0.0)) for one in places])
        if len(points) == 1:
            dots.append(points[0])
        pieces.append(_step(points) if line.is_step else points)
    lines: list[Shape] = [Polyline([piece for piece in pieces if len(piece) > 1], line.ink)]
    return lines + [Disc(x, y, 2.5, Ink(fill=line.ink.stroke)) for x, y in dots]


def _step(points: Sequence[Point]) -> list[Point]:
    """Returns the corners of a line on which each value holds until the next one."""
    corners = [(after[0], before[1]) for before, after in pairwise(points)]
    mixed = [point for pair in zip(points, corners, strict=False) for point in pair]
    return [*mixed, points[-1]]


def _draw_sign(sign: Sign, frame: _Frame) -> Shape:
    x, y = frame.x(sign.x), frame.y(sign.y)
    corners = {
        "up": [(0.0, -1.2), (1.0, 0.8), (-1.0, 0.8)],
        "down": [(0.0, 1.2), (1.0, -0.8), (-1.0, -0.8)],
        "both": [(0.0, -1.2), (1.0, 0.0), (0.0, 1.2), (-1.0, 0.0)],
    }.get(sign.kind)
    if sign.kind == "dot":
        return Group(sign.words, [Disc(x, y, 2.5, Ink(fill=BLUE))])
    if corners is None:
        strokes = [[(x - MARK, y - MARK), (x + MARK, y + MARK)], [(x - MARK, y + MARK), (x + MARK, y - MARK)]]
        return Group(sign.words, [Polyline(strokes, Ink(stroke=RED, width=2.2))])
    points = [(x + MARK * a, y + MARK * b) for a, b in corners]
    return Group(sign.words, [Polyline([points], MISSED, is_closed=True)])


def _draw_words(uprights: Sequence[Upright], frame: _Frame) -> list[Shape]:
    """Draws the words of vertical lines, each on a level of its own and on the side with room."""
    shapes: list[Shape] = []
    for place, upright in enumerate(sorted(uprights)):
        x = frame.x(upright.x)
        text = shorten(upright.words, WIDTH / 2.0, SIZE)
        is_left = x + measure(text, SIZE) + 8.0 > WIDTH - RIGHT
        at, anchor = (x - 5.0, "end") if is_left else (x + 5.0, "start")
        shapes.append(Words(at, frame.top + 13.0 + 15.0 * place, text, SIZE, anchor))
    return shapes


def draw_axis(chart: Chart, frame: _Frame) -> list[Shape]:
    """Draws the marks and the name of the common axis below the lowest panel."""
    first, last = frame.first, frame.last
    if chart.is_time:
        marks = list_times(first, last) or [first]
        texts = write_times(marks)
    else:
        marks = list_between(first, last) or [first]
        texts = [write_count(round(one)) for one in marks]
    y = frame.bottom
    shapes: list[Shape] = [Polyline([[(LEFT, y), (WIDTH - RIGHT, y)]], Ink(stroke=QUIET))]
    for mark, text in zip(marks, texts, strict=True):
        x = frame.x(mark)
        half = measure(text, SIZE) / 2.0
        shapes.append(Polyline([[(x, y), (x, y + 4.0)]], Ink(stroke=QUIET)))
        at = min(max(x, half), WIDTH - half - 2.0)
        shapes.append(Words(at, y + 17.0, text, SIZE, "middle", QUIET))
    shapes.append(Words(WIDTH - RIGHT, y + 33.0, chart.axis, SIZE, "end", QUIET))
    return shapes
