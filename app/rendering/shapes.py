"""What a picture is made of, in pixels from its upper left corner; it is written as SVG or as PNG."""

from collections.abc import Sequence
from typing import NamedTuple

# Colours of Okabe and Ito, which the colour-blind can tell apart, and greys.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
BLACK, QUIET, FAINT, WHITE = "#16191D", "#555C66", "#D4D9DF", "#FFFFFF"

Point = tuple[float, float]


class Ink(NamedTuple):
    """How a shape is drawn; a colour of None: not at all. `dash` are lengths of line and gap in turn."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0


class Box(NamedTuple):
    """A rectangle with round corners."""

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
    """Points joined by straight lines, in pieces with gaps between them."""

    pieces: Sequence[Sequence[Point]]
    ink: Ink
    is_closed: bool = False


class BezierCurve(NamedTuple):
    """A point and cubic Bézier curves: each has two control points and an end."""

    start: Point
    bends: Sequence[tuple[Point, Point, Point]]
    ink: Ink


class Words(NamedTuple):
    """A line of text; `x` is its start, middle or end, `y` its base line."""

    x: float
    y: float
    text: str
    size: float = 12.0
    anchor: str = "start"
    colour: str = BLACK
    is_bold: bool = False


class Group(NamedTuple):
    """Shapes that belong together; programs that show an SVG say its title."""

    title: str
    shapes: "Sequence[Shape]"


Shape = Box | Disc | Polyline | BezierCurve | Words | Group


class Picture(NamedTuple):
    """Shapes on white; the title is in them, and the description says in words what they show."""

    width: float
    height: float
    title: str
    description: str
    shapes: Sequence[Shape]
