"""Charts: gaps stay gaps, values above the upper edge are said, one value is a dot, none is a sentence."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rendering.charts import (
    DASHED,
    LEFT,
    RIGHT,
    SOLID,
    WIDTH,
    Chart,
    Line,
    Panel,
    Sign,
    Upright,
    draw_chart,
    find_marks,
    list_keys,
)
from app.rendering.picture_files import write_svg
from app.rendering.picture_shapes import FAINT, Box, Disc, Polyline, Words
from tests.app.rendering.pictures_to_draw import HOSTILE
from tests.app.rendering.test_graph_pictures import flatten

VALUES = [1.0, 2.0, None, 4.0, None, 3.0, 2.0]


def chart_of(panel: Panel, count: int = 7) -> Chart:
    return Chart("rates", ["of a day"], [60.0 * place for place in range(count)], [panel], "UTC")


def find_pieces(panel: Panel, ink: object) -> list[int]:
    drawn = [one for one in flatten(draw_chart(chart_of(panel)).shapes) if isinstance(one, Polyline)]
    return [len(piece) for one in drawn if one.ink == ink for piece in one.pieces][
        1:
    ]  # the first is the legend's


def test_a_gap_stays_a_gap_and_a_value_between_two_gaps_is_a_dot():
    panel = Panel("rate", [Line("mean", VALUES, SOLID)])
    assert find_pieces(panel, SOLID) == [2, 2]
    assert sum(isinstance(one, Disc) for one in draw_chart(chart_of(panel)).shapes) == 1


def test_steps_hold_a_value_until_the_next():
    panel = Panel(
        "processors", [Line("running", [2.0, 3.0, 3.0, None, None, None, None], DASHED, is_step=True)]
    )
    assert find_pieces(panel, DASHED) == [5]


def test_values_above_the_cap_lie_at_the_upper_edge_and_that_is_said():
    panel = Panel("E[T]", [Line("measured", [1.0, 500.0], SOLID)], cap=4.0)
    assert find_marks(panel) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert list_keys(panel)[-1].words == "(above 4 at the upper edge)"
    drawn = [one for one in draw_chart(chart_of(panel, 2)).shapes if isinstance(one, Polyline)]
    grid = [y for one in drawn if one.ink.stroke == FAINT for _, y in one.pieces[0]]
    line = [y for one in drawn if one.ink == SOLID for piece in one.pieces for _, y in piece][2:]
    assert min(line) == min(grid)
    assert find_marks(replace(panel, cap=None))[-1] >= 500.0
    assert len(list_keys(replace(panel, cap=600.0))) == 2


def test_nothing_is_a_sentence():
    picture = draw_chart(replace(chart_of(Panel("rate", [])), xs=[]))
    assert "There is nothing to show yet." in [one.text for one in picture.shapes if isinstance(one, Words)]


@pytest.mark.parametrize("kind", ["up", "down", "both", "cross", "dot"])
def test_signs_say_their_words(kind: str):
    panel = Panel("rate", [Line("mean", VALUES, SOLID)], signs=[Sign(60.0, 2.0, kind, "here")])
    assert "<title>here</title>" in write_svg(draw_chart(chart_of(panel)))


def test_a_band_has_gaps_where_an_edge_is_not_known_and_shades_cover_what_they_mark():
    panel = Panel("rate", [], band=(VALUES, VALUES), shaded=[False, True, True, False, False, False, False])
    shapes = draw_chart(chart_of(panel)).shapes
    assert sum(isinstance(one, Polyline) and one.is_closed for one in shapes) == 3
    (shade,) = (one for one in shapes if isinstance(one, Box))
    assert shade.width == pytest.approx(2 * (WIDTH - LEFT - RIGHT) / 6)


def test_upright_lines_beyond_the_values_are_in_the_picture():
    panel = Panel(
        "E[T]", [Line("best", [3.0, 2.0], SOLID)], uprights=[Upright(1.0, "1 runs"), Upright(9.0, "planned")]
    )
    chart = Chart("over", [], [4.0, 5.0], [panel], "processors", is_time=False, reach=[1.0, 9.0])
    words = {one.text: one for one in draw_chart(chart).shapes if isinstance(one, Words)}
    assert words["1 runs"].anchor == "start"
    assert words["planned"].anchor == "end"
    assert 0.0 < words["planned"].x < WIDTH


@given(
    st.lists(st.floats(0, 1e12) | st.none(), max_size=30),
    st.text() | st.sampled_from(HOSTILE),
    st.floats(1e-6, 1e9) | st.none(),
)
def test_any_series_is_drawn_as_valid_svg_without_nan(
    values: list[float | None], text: str, cap: float | None
):
    panel = Panel(text, [Line(text, values, SOLID)], cap=cap, uprights=[Upright(0.0, text)])
    svg = write_svg(draw_chart(replace(chart_of(panel, len(values)), title=text)))
    assert ET.fromstring(svg).tag.endswith("svg")
    assert not {"nan", "inf"} & set(svg.replace('"', " ").lower().split()) - set(text.lower().split())


def test_a_line_of_many_points_keeps_its_ends_and_its_peak():
    count = 20_000
    values = [float(step % 7) for step in range(count)]
    values[1_234] = 10.0
    panel = Panel("Rate", [Line("rate", values, SOLID)])
    drawn = draw_chart(Chart("Long", [], [float(one) for one in range(count)], [panel], "s"))
    lines = [one for one in flatten(drawn.shapes) if isinstance(one, Polyline) and one.ink == SOLID]
    points = max((piece for one in lines for piece in one.pieces), key=len)
    assert 2_000 < len(points) <= 8 * (WIDTH - LEFT - RIGHT + 1)
    assert (points[0][0], points[-1][0]) == (LEFT, WIDTH - RIGHT)
    highest = min(points, key=lambda point: point[1])
    assert highest[0] == pytest.approx(LEFT + 1_234 / (count - 1) * (WIDTH - LEFT - RIGHT))
    assert sorted(x for x, _ in points) == [x for x, _ in points]
