"""Streams on a grid: forward ones point right, back ones left, those to another row end at a number."""

import pytest

from app.rendering.graph_layout import Edge, lay_out
from app.rendering.graph_pictures import count_columns, place_on_grid
from app.rendering.picture_shapes import BezierCurve, Polyline, Shape, Words
from app.rendering.stream_lines import BOX_WIDTH, Grid, Router, StreamLabels, draw_entry, draw_loop, draw_way


def route(count: int, edges: list[Edge]) -> tuple[Router, Grid]:
    layout = lay_out(count, edges, [0])
    grid, _ = place_on_grid(layout, count_columns(layout), 100.0, 50.0)
    assert count_columns(layout) == grid.columns
    return Router(layout.layered, grid), grid


def find_arrow(shapes: list[Shape]) -> tuple[float, float]:
    """Where the arrow's head begins, and where it points."""
    arrow = shapes[-1]
    assert isinstance(arrow, Polyline)
    tip, *rest = arrow.pieces[0]
    return rest[0][0], tip[0]


def test_a_forward_stream_goes_from_the_right_of_its_source_to_the_left_of_its_target():
    router, grid = route(2, [(0, 1)])
    shapes = draw_way(router.find_way(0), 2.0, is_back=False)
    curve = shapes[0]
    assert isinstance(curve, BezierCurve)
    assert curve.start[0] == grid.middles[0][0] + BOX_WIDTH / 2.0
    begins, tip = find_arrow(shapes)
    assert begins < tip == grid.middles[1][0] - BOX_WIDTH / 2.0


def test_a_stream_that_closes_a_loop_points_left_at_the_right_of_its_target():
    router, grid = route(2, [(0, 1), (1, 0)])
    begins, tip = find_arrow(draw_way(router.find_way(1), 2.0, is_back=True))
    assert begins > tip == grid.middles[0][0] + BOX_WIDTH / 2.0
    heights = [router.find_way(index).curves[0][0][1] for index in range(2)]
    assert heights[0] != heights[1], "the two do not lie over each other"


def test_a_stream_to_another_row_ends_at_a_number_and_goes_on_there():
    edges = [(place, place + 1) for place in range(11)]
    router, grid = route(12, edges)
    ways = [router.find_way(index) for index in range(11)]
    assert grid.columns == 6
    assert [len(way.curves) for way in ways] == [1] * 5 + [2] + [1] * 5
    numbers = [one for one in router.draw_numbers() if isinstance(one, Words)]
    assert [one.text for one in numbers] == ["1", "1"]
    assert numbers[0].x > grid.right
    assert numbers[1].x < grid.left


def test_no_label_lies_over_another():
    labels = StreamLabels()
    assert labels.draw("12/s", (100.0, 100.0))
    assert not labels.draw("13/s", (110.0, 105.0))
    assert labels.draw("14/s", (100.0, 120.0))


@pytest.mark.parametrize("shapes", [draw_loop((100.0, 100.0), 2.0), draw_entry((100.0, 100.0))])
def test_loops_and_entries_have_an_arrow(shapes: list[Shape]):
    assert isinstance(shapes[-1], Polyline)
    assert shapes[-1].is_closed
