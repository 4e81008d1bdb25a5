"""Texts in pictures: safe whatever they hold, no wider than asked, numbers never NaN."""

from math import inf, nan
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rendering.texts import (
    clean,
    measure,
    shorten,
    wrap,
    write_change,
    write_count,
    write_duration,
    write_percent,
    write_rate,
    write_short,
)
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


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (write_short(None), "–"),
        (write_short(nan), "–"),
        (write_short(1234.5), "1,234"),
        (write_short(0.012345), "0.0123"),
        (write_short(2.5e9), "2.5e+09"),
        (write_duration(None), "–"),
        (write_duration(inf), "–"),
        (write_duration(0.0), "0 s"),
        (write_duration(2.5e-5), "25 µs"),
        (write_duration(0.083), "83 ms"),
        (write_duration(1.25), "1.25 s"),
        (write_duration(300.0), "5 min"),
        (write_duration(7200.0), "2 h"),
        (write_rate(None), "–"),
        (write_rate(1422.2), "1,422/s"),
        (write_percent(None), "–"),
        (write_percent(0.842), "84%"),
        (write_percent(0.9999), "above 99%"),
        (write_percent(1.0), "100%"),
        (write_count(None), "–"),
        (write_change(13, 17), "13 → 17"),
        (write_change(13, 13), "13"),
        (write_change(None, 4), "– → 4"),
        (write_change(None, None), "–"),
    ],
)
def test_numbers_are_written_as_the_dashboard_does(written: str, shown: str):
    assert written == shown
