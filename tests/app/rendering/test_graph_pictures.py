"""Graphs as pictures: nothing overlaps or leaves the picture, names stay text, colour never speaks alone."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rendering.graph_layout import Edge
from app.rendering.graph_pictures import OVERLOADED, UNKNOWN_LEVEL, draw_graph, find_level
from app.rendering.operator_graphs import DrawnOperator, DrawnStream, OperatorGraph
from app.rendering.picture_files import write_svg
from app.rendering.picture_shapes import Box, Group, Picture, Shape, Words, measure
from app.rendering.png_writing import MOST_BYTES, write_png
from app.rendering.stream_lines import BOX_HEIGHT, BOX_WIDTH
from tests.app.rendering.pictures_to_draw import HOSTILE, chain
from tests.app.rendering.test_graph_layout_layers import graphs


def flatten(shapes: Sequence[Shape]) -> Iterator[Shape]:
    for shape in shapes:
        if isinstance(shape, Group):
            yield from flatten(shape.shapes)
        else:
            yield shape


def find_boxes(picture: Picture) -> list[Box]:
    found = [one for one in flatten(picture.shapes) if isinstance(one, Box)]
    return [one for one in found if (one.width, one.height) == (BOX_WIDTH, BOX_HEIGHT)]


def make_graph(count: int, edges: Sequence[Edge]) -> OperatorGraph:
    operators = [
        DrawnOperator(f"operator {place}", place / count, 5.0, 2, 2 + place % 2) for place in range(count)
    ]
    return OperatorGraph("any", [], operators, [DrawnStream(a, b, 1.0, 1.0 + a) for a, b in edges], [0])


@given(graphs(), st.sampled_from([[], [(0, 0)]]))
def test_all_operators_are_in_the_picture_and_none_lies_over_another(
    graph: tuple[int, list[Edge]], loop: list[Edge]
):
    count, edges = graph
    picture = draw_graph(make_graph(count, [*edges, *loop]))
    boxes = find_boxes(picture)
    assert len(boxes) == count
    for place, one in enumerate(boxes):
        assert one.x >= 0.0
        assert one.y >= 0.0
        assert one.x + one.width <= picture.width
        assert one.y + one.height <= picture.height
        for other in boxes[:place]:
            assert abs(one.x - other.x) >= BOX_WIDTH or abs(one.y - other.y) >= BOX_HEIGHT
    for words in flatten(picture.shapes):
        if isinstance(words, Words) and words.anchor == "start":
            assert words.x + measure(words.text, words.size, is_bold=words.is_bold) <= picture.width + 1e-6


@given(graphs(20))
def test_equal_graphs_give_equal_bytes_that_are_valid(graph: tuple[int, list[Edge]]):
    first, second = (write_svg(draw_graph(make_graph(*graph))) for _ in range(2))
    assert first == second
    assert ET.fromstring(first).tag.endswith("svg")


def test_an_operator_says_how_busy_it_is_and_what_would_change_in_words():
    one = DrawnOperator("detector", 0.842, 1422.2, 13, 17)
    picture = draw_graph(OperatorGraph("fpd", ["now"], [one], [DrawnStream(0, 0, 0.1, 142.0)], [0]))
    said = [one.text for one in flatten(picture.shapes) if isinstance(one, Words)]
    for text in ("fpd", "now", "detector", "13 → 17", "84% busy · 1,420/s", "142/s", "80 to 100%"):
        assert text in said
    assert picture.description == "now detector: 84% busy · 1,420/s, 13 → 17 processors."
    assert "<title>detector to detector: 142/s, 0.1 out for one in</title>" in write_svg(picture)


@pytest.mark.parametrize(
    ("busy", "words"),
    [
        (None, UNKNOWN_LEVEL.words),
        (0.0, "below 50% busy"),
        (0.5, "50 to 80%"),
        (0.99, "80 to 100%"),
        (1.0, OVERLOADED.words),
    ],
)
def test_levels(busy: float | None, words: str):
    assert find_level(busy).words == words


def test_what_is_not_known_is_a_dash_and_not_zero():
    picture = draw_graph(chain("a", busy=None)._replace(operators=[DrawnOperator("a", None, 3.0, None, 4)]))
    said = [one.text for one in flatten(picture.shapes) if isinstance(one, Words)]
    assert "– busy · 3/s" in said
    assert "– → 4" in said


def test_hostile_names_stay_text():
    picture = draw_graph(chain(*HOSTILE)._replace(title=" ".join(HOSTILE)))
    root = ET.fromstring(write_svg(picture))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        "svg", "title", "desc", "rect", "path", "text", "g"
    }  # fmt: skip
    assert write_png(picture)


def test_a_picture_of_sixty_operators_is_small_enough_for_a_chat():
    edges = [(place // 2, place) for place in range(1, 60)] + [
        (place, place + 7) for place in range(0, 50, 3)
    ]
    picture = draw_graph(make_graph(60, sorted(set(edges))))
    assert picture.width < 2200.0
    assert len(write_png(picture)) < MOST_BYTES


@given(graphs())
def test_the_narrow_picture_fits_a_phone_of_400_pixels_and_has_every_operator(graph: tuple[int, list[Edge]]):
    count, edges = graph
    picture = draw_graph(make_graph(count, edges), is_narrow=True)
    assert picture.width <= 400 - 2 * 16
    boxes = find_boxes(picture)
    assert len(boxes) == count
    assert all(one.x >= 0.0 and one.x + one.width <= picture.width for one in boxes)
    assert all(abs(a.y - b.y) >= BOX_HEIGHT for place, a in enumerate(boxes) for b in boxes[:place])
