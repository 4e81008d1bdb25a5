"""Titles, lines and legends stay within the width, below each other."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.rendering.picture_shapes import MARGIN, Ink, Key, Words, clean, draw_heading, draw_legend, measure
from tests.app.rendering.pictures_to_draw import HOSTILE

TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(HOSTILE)


@given(TEXTS, st.lists(TEXTS, max_size=4), st.floats(300.0, 1000.0))
def test_a_heading_is_as_wide_as_the_picture_and_what_follows_is_below(
    title: str, lines: list[str], width: float
):
    shapes, bottom = draw_heading(title, lines, width)
    words = [one for one in shapes if isinstance(one, Words)]
    assert all(MARGIN + measure(one.text, one.size, is_bold=one.is_bold) <= width for one in words)
    assert [one.y for one in words] == sorted({one.y for one in words})
    assert all(one.y < bottom for one in words)
    assert words[0].text.startswith(clean(title)[:3])


@given(st.lists(TEXTS, min_size=1, max_size=8), st.floats(300.0, 1000.0))
def test_no_entry_of_a_legend_lies_over_another(texts: list[str], width: float):
    shapes, bottom = draw_legend([Key(text, Ink(stroke="#000")) for text in texts], width, 0.0)
    words = [one for one in shapes if isinstance(one, Words)]
    spans = sorted((one.y, one.x, one.x + measure(one.text, one.size)) for one in words)
    for (y, _, right), (other_y, left, _) in pairwise(spans):
        assert other_y > y or left >= right
    assert all(right <= width for _, _, right in spans)
    assert all(one.y < bottom for one in words)
