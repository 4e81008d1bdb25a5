"""Draws streams between operators on a grid. A stream to another row ends at a number, and goes on at that number."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from app.rendering.graph_layout import Layered
from app.rendering.picture_shapes import (
    BLACK,
    QUIET,
    WHITE,
    BezierCurve,
    Box,
    Ink,
    Point,
    Polyline,
    Shape,
    Words,
    measure,
    shorten,
)

BOX_WIDTH, BOX_HEIGHT = 168.0, 52.0
PORTS = 30.0
"""The share of an operator's side on which its streams begin or end."""
HEAD, TURN = 9.0, 34.0
WIDEST_NUMBERS = 64.0
DASH = (6.0, 4.0)
LABEL_SIZE = 10.5
Bend = tuple[Point, Point, Point]


class Grid(NamedTuple):
    """The middle of each item of a graph, and the columns of a row; `right` is where the last column of a row ends."""

    middles: dict[int, Point]
    ranks: Sequence[int]
    columns: int
    left: float
    right: float

    def row(self, item: int) -> int:
        """Returns the row of an item, counted from the top."""
        return self.ranks[item] // self.columns

    def enter(self, item: int, port: float = 0.0) -> Point:
        """Returns the point at the left end of an item where a stream enters, `port` pixels below the middle."""
        x, y = self.middles[item]
        return x - BOX_WIDTH / 2.0, y + port

    def leave(self, item: int, port: float = 0.0) -> Point:
        """Returns the point at the right end of an item where a stream leaves, `port` pixels below the middle."""
        x, y = self.middles[item]
        return x + BOX_WIDTH / 2.0, y + port


class Way(NamedTuple):
    """The drawn parts of one stream, one for each row, and the place for its label (None: no room)."""

    curves: list[tuple[Point, list[Bend]]]
    label: Point | None


class Router:
    """Finds the lines of all streams, and numbers the streams that lead to another row."""

    def __init__(self, layered: Layered, grid: Grid) -> None:
        self.layered, self.grid = layered, grid
        self.starts, self.ends = _spread_ports(layered, grid)
        self.numbers: dict[int, int] = {}
        self.arriving: dict[int, list[int]] = defaultdict(list)

    def find_way(self, index: int) -> Way:
        """Returns the line of the stream with this index, from the left end of its route to the right end."""
        items, grid = self.layered.routes[index], self.grid
        here = start = grid.leave(items[0], self.starts[index])
        curves: list[tuple[Point, list[Bend]]] = []
        bends: list[Bend] = []
        label: Point | None = None
        for item, following in pairwise(items):
            if grid.row(item) != grid.row(following):
                edge = (grid.right + TURN, grid.middles[item][1])
                curves.append((start, [*bends, _bend(here, edge)]))
                self._join_rows(item, following)
                here = start = (grid.left - TURN, grid.middles[following][1])
                bends = []
            is_last = following == items[-1]
            there = grid.enter(following, self.ends[index] if is_last else 0.0)
            bends.append(_bend(here, there))
            if label is None and here[0] >= grid.left:  # the space beside the rows has the numbers
                label = ((here[0] + there[0]) / 2.0, (here[1] + there[1]) / 2.0)
            here = there
            if not is_last:
                here = grid.leave(following)
                bends.append(_bend(there, here))
        curves.append((start, bends))
        return Way(curves, label)

    def _join_rows(self, item: int, following: int) -> None:
        number = self.numbers.setdefault(item, len(self.numbers) + 1)
        if number not in self.arriving[following]:
            self.arriving[following].append(number)

    def draw_numbers(self) -> Iterator[Shape]:
        """Draws each number at the right end of a row, and at the left end of the row where the stream goes on."""
        for item, number in self.numbers.items():
            yield from _draw_number(str(number), self.grid.right + TURN, self.grid.middles[item][1])
        for item, numbers in self.arriving.items():
            text = ", ".join(map(str, sorted(numbers)))
            yield from _draw_number(text, self.grid.left - TURN, self.grid.middles[item][1], is_left=True)


def draw_way(way: Way, width: float, *, is_back: bool) -> list[Shape]:
    """Draws the lines of a stream with an arrowhead at the end; a stream back to an earlier layer is dashed."""
    ink = Ink(stroke=QUIET, width=width, dash=DASH if is_back else (), opacity=0.75)
    head = HEAD + width
    curves = list(way.curves)
    if is_back:
        (x, y), bends = curves[0]
        tip, back = (x, y), head
        curves[0] = ((x + head * 0.8, y), bends)
    else:
        start, bends = curves[-1]
        first, second, (x, y) = bends[-1]
        tip, back = (x, y), -head
        curves[-1] = (start, [*bends[:-1], (first, second, (x - head * 0.8, y))])
    half = head * 0.45
    arrow = [tip, (tip[0] + back, tip[1] - half), (tip[0] + back, tip[1] + half)]
    lines: list[Shape] = [BezierCurve(start, bends, ink) for start, bends in curves]
    return [*lines, Polyline([arrow], Ink(fill=QUIET), is_closed=True)]


def draw_loop(middle: Point, width: float) -> list[Shape]:
    """Draws a stream from an operator to itself as a loop above the operator."""
    x, top = middle[0], middle[1] - BOX_HEIGHT / 2.0
    head = HEAD
    bends = [((x + 38.0, top - 26.0), (x - 38.0, top - 26.0), (x - 20.0, top - head * 0.8))]
    arrow = [(x - 18.0, top), (x - 27.0, top - head * 0.7), (x - 18.5, top - head * 1.1)]
    return [
        BezierCurve((x + 20.0, top), bends, Ink(stroke=QUIET, width=width, opacity=0.75)),
        Polyline([arrow], Ink(fill=QUIET), is_closed=True),
    ]


def draw_entry(at: Point) -> list[Shape]:
    """Draws a short arrow at an operator that the external stream enters."""
    x, y = at[0], at[1] - BOX_HEIGHT / 2.0 + 9.0
    arrow = [(x, y), (x - 9.0, y - 4.5), (x - 9.0, y + 4.5)]
    ink = Ink(stroke=BLACK, width=1.5)
    return [
        Polyline([[(x - 22.0, y), (x - 8.0, y)]], ink),
        Polyline([arrow], Ink(fill=BLACK), is_closed=True),
    ]


class StreamLabels:
    """Draws labels of streams, and leaves out a label that would cover an earlier one."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, float, float, float]] = []

    def draw(self, text: str, at: Point) -> list[Shape]:
        """Draws the text on a white patch, or nothing if the text would cover an earlier label."""
        wide = measure(text, LABEL_SIZE) + 4.0
        left, top = at[0] - wide / 2.0, at[1] - 7.0
        right, bottom = left + wide, top + 14.0
        if any(left < r and l < right and top < b and t < bottom for l, t, r, b in self.taken):  # noqa: E741
            return []
        self.taken.append((left, top, right, bottom))
        return [
            Box(left, top, wide, 14.0, Ink(fill=WHITE, opacity=0.85)),
            Words(at[0], at[1] + 4.0, text, LABEL_SIZE, "middle", QUIET),
        ]


def _spread_ports(layered: Layered, grid: Grid) -> tuple[list[float], list[float]]:
    """Returns how far from the middle of an operator's side each route starts and ends, in order of heights."""
    found: tuple[list[float], list[float]] = ([0.0] * len(layered.routes), [0.0] * len(layered.routes))
    for ports, end, step in ((found[0], 0, 1), (found[1], -1, -2)):
        sides: dict[int, list[int]] = defaultdict(list)
        for index, route in enumerate(layered.routes):
            sides[route[end]].append(index)
        for indices in sides.values():
            indices.sort(key=lambda one, step=step: grid.middles[layered.routes[one][step]][1])  # type: ignore[misc]
            for place, index in enumerate(indices):
                ports[index] = PORTS * ((place + 0.5) / len(indices) - 0.5)
    return found


def _bend(here: Point, there: Point) -> Bend:
    """Returns a curve between two points that begins and ends horizontally."""
    middle = (here[0] + there[0]) / 2.0
    return (middle, here[1]), (middle, there[1]), there


def _draw_number(text: str, x: float, y: float, *, is_left: bool = False) -> Iterator[Shape]:
    """Draws a number in a circle; a text of several numbers gets a longer box."""
    text = shorten(text, WIDEST_NUMBERS, LABEL_SIZE)
    wide = max(17.0, measure(text, LABEL_SIZE) + 7.0)
    left = x + 8.5 - wide if is_left else x - 8.5
    yield Box(left, y - 8.5, wide, 17.0, Ink(WHITE, QUIET), 8.5)
    yield Words(left + wide / 2.0, y + 4.0, text, LABEL_SIZE, "middle")
