"""Draws operators and their streams in layers from left to right, and in several rows if there are many layers."""

from collections.abc import Iterator
from math import ceil, sqrt
from typing import NamedTuple

from app.rendering.graph_layout import NODE_ROOM, Layout, lay_out
from app.rendering.operator_graphs import DrawnOperator, DrawnStream, OperatorGraph, find_part
from app.rendering.picture_shapes import (
    BLACK,
    FAINT,
    QUIET,
    WHITE,
    Box,
    Group,
    Ink,
    Key,
    Picture,
    Point,
    Shape,
    Words,
    draw_heading,
    draw_legend,
    measure,
    shorten,
)
from app.rendering.stream_lines import (
    BOX_HEIGHT,
    BOX_WIDTH,
    DASH,
    Grid,
    Router,
    StreamLabels,
    draw_entry,
    draw_loop,
    draw_way,
)
from planner.wording import write_change, write_number, write_percent, write_rate

MOST_COLUMNS = 8
"""The most layers in a row; more would be too wide to read in a chat or a ticket."""
GAP, SIDE, ROW_GAP = 76.0, 32.0, 12.0
"""Between columns, beside the outermost ones, and between rows."""
BESIDE_ROWS = 64.0
"""More room beside the columns for the numbers that join rows."""
LEAST_WIDTH = 640.0
NAME_SIZE, SMALL_SIZE = 12.0, 10.5
WIDEST = 6.0
MOST_LABELS = 40
CHANGED = "#B84D00"


class Level(NamedTuple):
    """A level of utilisation: the words in the legend, and the colours of the operator's box and bar."""

    words: str
    fill: str
    bar: str


UNKNOWN_LEVEL = Level("busy: not known", WHITE, FAINT)
LEVELS = (
    (0.5, Level("below 50% busy", "#DCEBF6", "#0072B2")),
    (0.8, Level("50 to 80%", "#F8EBC2", "#E69F00")),
    (1.0, Level("80 to 100%", "#F6CDB3", "#D55E00")),
)
OVERLOADED = Level("cannot keep up", "#F0B4AE", "#8C1D18")


def find_level(busy: float | None) -> Level:
    """Returns the level to which a utilisation belongs, or the level for unknown ones."""
    if busy is None:
        return UNKNOWN_LEVEL
    return next((level for limit, level in LEVELS if busy < limit), OVERLOADED)


def draw_graph(graph: OperatorGraph, *, is_narrow: bool = False) -> Picture:
    """Draws the whole graph, or the part around the busiest operator if the whole is too large to read.

    A narrow picture, for a phone, has one column.
    """
    part = find_part(graph)
    edges = [(one.source, one.target) for one in part.streams if one.source != one.target]
    layout = lay_out(len(part.operators), edges, part.entries)
    columns = 1 if is_narrow else count_columns(layout)
    inner, width = measure_rows(layout, columns)
    width = width if is_narrow else max(width, LEAST_WIDTH)
    heading, top = draw_heading(part.title, part.lines, width)
    grid, bottom = place_on_grid(layout, columns, (width - inner) / 2.0, top)
    busiest = find_busiest(part)
    shapes: list[Shape] = [*heading, *draw_streams(part, layout, grid)]
    for place, one in enumerate(part.operators):
        if place in part.entries:
            shapes += draw_entry(grid.enter(place))
        shapes.append(draw_operator(one, grid.middles[place], is_busiest=place == busiest))
    legend, height = draw_legend(list_keys(part, layout, columns), width, bottom)
    return Picture(width, height, part.title, describe_graph(part), [*shapes, *legend])


def find_busiest(graph: OperatorGraph) -> int | None:
    """Returns the index of the operator with the highest utilisation; None if no utilisation is known."""
    known = [(one.busy, -place) for place, one in enumerate(graph.operators) if one.busy is not None]
    return -max(known)[1] if known else None


def count_columns(layout: Layout) -> int:
    """Returns how many columns each row of the picture has; the last row may have fewer."""
    rows = max(1, ceil(len(layout.layers) / MOST_COLUMNS))
    return max(1, ceil(len(layout.layers) / rows))


def measure_rows(layout: Layout, columns: int) -> tuple[float, float]:
    """Returns the width of all columns of a row, and the least width of the picture, in pixels."""
    inner = columns * (BOX_WIDTH + GAP) - GAP
    beside = SIDE + (BESIDE_ROWS if len(layout.layers) > columns else 0.0)
    return inner, inner + 2.0 * beside


def place_on_grid(layout: Layout, columns: int, left: float, top: float) -> tuple[Grid, float]:
    """Returns the middle of every item of the graph, and the height at which the lowest row ends."""
    middles: dict[int, Point] = {}
    for first in range(0, len(layout.layers), columns):
        items = [item for layer in layout.layers[first : first + columns] for item in layer]
        shift = top + NODE_ROOM / 2.0 - min(layout.heights[item] for item in items)
        for item in items:
            column = layout.layered.ranks[item] - first
            x = left + BOX_WIDTH / 2.0 + column * (BOX_WIDTH + GAP)
            middles[item] = (x, layout.heights[item] + shift)
        top = max(middles[item][1] for item in items) + NODE_ROOM / 2.0 + ROW_GAP
    right = left + columns * (BOX_WIDTH + GAP) - GAP
    return Grid(middles, layout.layered.ranks, columns, left, right), top - ROW_GAP


def draw_streams(graph: OperatorGraph, layout: Layout, grid: Grid) -> Iterator[Shape]:
    """Draws the streams, wider for more tuples per second, and with their rates if there is room."""
    most = max((one.rate or 0.0 for one in graph.streams), default=0.0)
    router, labels = Router(layout.layered, grid), StreamLabels()
    texts: list[Shape] = []
    index = 0
    for one in graph.streams:
        width = 1.5 if not one.rate or not most else 1.0 + (WIDEST - 1.0) * sqrt(one.rate / most)
        title = f"{graph.operators[one.source].name} to {graph.operators[one.target].name}: {say_stream(one)}"
        if one.source == one.target:
            x, y = grid.middles[one.source]
            shapes = draw_loop((x, y), width)
            at: Point | None = (x + 56.0, y - BOX_HEIGHT / 2.0 - 9.0)
        else:
            way = router.find_way(index)
            shapes, at = draw_way(way, width, is_back=layout.layered.is_back[index]), way.label
            index += 1
        yield Group(title, shapes)
        text = label_stream(one)
        if text and at is not None and len(graph.streams) <= MOST_LABELS:
            texts += labels.draw(text, at)
    yield from router.draw_numbers()
    yield from texts


def label_stream(stream: DrawnStream) -> str:
    """Returns the words beside a stream: its tuples per second, or its selectivity if that is not 1."""
    if stream.rate is not None:
        return write_rate(stream.rate)
    return "" if stream.selectivity == 1.0 else f"×{write_number(stream.selectivity)}"


def say_stream(stream: DrawnStream) -> str:
    """Says the rate and the selectivity of a stream in a phrase."""
    many = f"{write_number(stream.selectivity)} out for one in"
    return many if stream.rate is None else f"{write_rate(stream.rate)}, {many}"


def draw_operator(one: DrawnOperator, middle: Point, *, is_busiest: bool) -> Shape:
    """Draws an operator as a box with its name, its utilisation, and its processors now and as recommended."""
    left, top = middle[0] - BOX_WIDTH / 2.0, middle[1] - BOX_HEIGHT / 2.0
    level = find_level(one.busy)
    is_new = is_changed(one)
    counts = (
        "" if one.running is None and one.recommended is None else write_change(one.running, one.recommended)
    )
    name_width = BOX_WIDTH - 22.0 - measure(counts, NAME_SIZE, is_bold=is_new)
    border = Ink(level.fill, BLACK if is_busiest else QUIET, 2.5 if is_busiest else 1.0)
    shapes: list[Shape] = [Box(left, top, BOX_WIDTH, BOX_HEIGHT, border, 6.0)]
    if one.busy:
        filled = (BOX_WIDTH - 12.0) * min(one.busy, 1.0)
        shapes.append(Box(left + 6.0, top + BOX_HEIGHT - 9.0, filled, 4.0, Ink(level.bar)))
    small = shorten(say_load(one), BOX_WIDTH - 16.0, SMALL_SIZE)
    shapes += [
        Words(left + 8.0, top + 19.0, shorten(one.name, name_width, NAME_SIZE), NAME_SIZE),
        Words(left + 8.0, top + 36.0, small, SMALL_SIZE, colour=QUIET),
    ]
    if counts:
        colour = CHANGED if is_new else QUIET
        shapes.append(
            Words(left + BOX_WIDTH - 8.0, top + 19.0, counts, NAME_SIZE, "end", colour, is_bold=is_new)
        )
    return Group(say_operator(one), shapes)


def is_changed(one: DrawnOperator) -> bool:
    """Tells whether the recommended number of processors differs from the running number."""
    return None not in {one.running, one.recommended} and one.running != one.recommended


def say_load(one: DrawnOperator) -> str:
    """Says the operator's utilisation and arrival rate, or the note on its definition if these are not known."""
    if one.busy is None and one.rate is None:
        return one.note
    return f"{write_percent(one.busy)} busy · {write_rate(one.rate)}"


def say_operator(one: DrawnOperator) -> str:
    """Says in words what the box of an operator shows."""
    counts = (
        "" if one.running is None and one.recommended is None else write_change(one.running, one.recommended)
    )
    parts = [say_load(one), f"{counts} processors" if counts else ""]
    said = ", ".join(part for part in parts if part)
    return f"{one.name}: {said}" if said else one.name


def describe_graph(graph: OperatorGraph) -> str:
    """Describes the picture in words for people who do not see it: the lines below the title, and all operators."""
    return " ".join([*graph.lines, *(f"{say_operator(one)}." for one in graph.operators)])


def list_keys(graph: OperatorGraph, layout: Layout, columns: int) -> list[Key]:
    """Returns the legend: the meaning of the colours, lines and numbers that this picture has."""
    keys = [
        Key(level.words, Ink(level.fill, QUIET))
        for level in (*(level for _, level in LEVELS), OVERLOADED)
        if any(find_level(one.busy) == level for one in graph.operators)
    ]
    if any(one.busy is not None for one in graph.operators):
        keys.append(Key("the busiest", Ink(WHITE, BLACK, 2.5)))
    if any(one.rate is not None for one in graph.streams):
        keys.append(Key("width: tuples per second", Ink(stroke=QUIET, width=4.0, opacity=0.75)))
    elif len(graph.streams) <= MOST_LABELS and any(one.selectivity != 1.0 for one in graph.streams):
        keys.append(Key("×: tuples out for one in"))
    if any(one.note and one.busy is None for one in graph.operators):
        keys.append(Key("1 to 8: processors that a plan may give"))
    if any(layout.layered.is_back):
        keys.append(Key("back, closing a loop", Ink(stroke=QUIET, width=2.0, dash=DASH)))
    changed = next(filter(is_changed, graph.operators), None)
    if changed is not None:
        counts = write_change(changed.running, changed.recommended)
        keys.append(Key(f"{counts}: processors now and as recommended"))
    elif any(one.running is not None for one in graph.operators):
        keys.append(Key("right: processors"))
    if len(layout.layers) > columns:
        keys.append(Key("①: continues at the same number"))
    return keys
