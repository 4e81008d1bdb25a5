"""Texts in pictures: safe whatever they hold, no wider than asked, numbers never NaN."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from app.rendering.picture_shapes import clean, measure, shorten, wrap
from tests.app.rendering.pictures_to_draw import HOSTILE

ANY_TEXT = st.text() | st.sampled_from(HOSTILE)


@given(ANY_TEXT)
def test_a_clean_text_is_one_line_that_xml_can_hold_and_stays_so(text: str):
    cleaned = clean(text)
    assert cleaned.isprintable()
    assert clean(cleaned) == cleaned
    element = ET.Element("text")
    element.text = cleaned
    assert ET.fromstring(ET.tostring(element, "utf-8")).text in {cleaned, None}


@given(ANY_TEXT, st.floats(20.0, 400.0), st.floats(8.0, 20.0))
def test_a_shortened_text_is_no_wider_than_asked_and_begins_the_same(text: str, width: float, size: float):
    shortened = shorten(text, width, size)
    assert measure(shortened, size) <= width
    if shortened != clean(text):
        assert shortened.endswith("…")
        assert clean(text).startswith(shortened[:-1])


@given(st.lists(ANY_TEXT, max_size=4).map(" ".join), st.floats(40.0, 400.0))
def test_a_wrapped_text_loses_no_word_that_fits(text: str, width: float):
    lines = wrap(text, width, 12.0)
    assert all(measure(line, 12.0) <= width for line in lines)
    if all(measure(word, 12.0) <= width for word in clean(text).split(" ")):
        assert " ".join(lines) == clean(text)


def test_a_letter_keeps_two_accents_at_most():
    assert len(clean("a" + "\u0301" * 50)) <= 3
