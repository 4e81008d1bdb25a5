"""Graphs and pictures that several tests of drawing share."""

from app.rendering.operator_graphs import DrawnOperator, DrawnStream, OperatorGraph
from app.rendering.picture_shapes import BLUE, BezierCurve, Box, Disc, Group, Ink, Picture, Polyline, Words

HOSTILE = (
    "$\\frac{a}{b}$",
    "<script>alert(1)</script>",
    "]]><svg onload=alert(1)>",
    "مرحبا بالعالم",
    "x" * 200,
    "🔥 fire",
    "new\nline\x00\u202e\ufffe\ud800",
    "a" + "\u0301" * 50,
    "&amp;\"'`",
)
"""Names that would do harm, or be unreadable, if they were not made safe."""

EVERY_SHAPE = Picture(
    120.0,
    80.0,
    "all shapes",
    "one of each",
    [
        Box(5.0, 5.0, 40.0, 20.0, Ink(BLUE, "#000000", 2.0), 4.0),
        Box(60.0, 5.0, 20.0, 10.0, Ink(BLUE, opacity=0.5)),
        Disc(20.0, 50.0, 8.0, Ink("#D55E00")),
        Polyline([[(50.0, 40.0), (70.0, 60.0)], [(80.0, 40.0)]], Ink(stroke="#000000", dash=(4.0, 2.0))),
        BezierCurve((80.0, 70.0), [((90.0, 70.0), (90.0, 40.0), (110.0, 40.0))], Ink(stroke=BLUE, width=3.0)),
        Group("said", [Words(60.0, 75.0, "middle", 10.0, "middle", is_bold=True)]),
        Words(118.0, 75.0, "end", 10.0, "end"),
    ],
)


def chain(*names: str, busy: float | None = 0.5) -> OperatorGraph:
    """Operators one behind the other."""
    operators = [DrawnOperator(name, busy, 10.0, 2, 3) for name in names]
    streams = [DrawnStream(place, place + 1, 1.0, 10.0) for place in range(len(names) - 1)]
    return OperatorGraph("a chain", ["of operators"], operators, streams, [0])
