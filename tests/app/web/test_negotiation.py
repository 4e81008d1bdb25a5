"""Accept: the most specific range counts, and among equals the service's own order."""

import pytest

from app.web.negotiation import JSON, PNG, SVG, asks_for_picture, choose_form
from app.web.problems.errors import NotAcceptable

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, PNG),
        ("", PNG),
        ("*/*", PNG),
        (BROWSER, PNG),
        ("image/svg+xml", SVG),
        ("IMAGE/SVG+XML", SVG),
        ("image/*", PNG),
        ("image/*;q=0.5, application/json", JSON),
        ("image/png;q=0.2, image/svg+xml;q=0.8, */*;q=0.1", SVG),
        ("*/*, image/png;q=0", SVG),
        ("application/json; charset=utf-8", JSON),
        ("image/png;q=nonsense, image/svg+xml;q=0.001", SVG),
    ],
)
def test_the_form_of_the_highest_weight_is_chosen(accept: str | None, form: str):
    assert choose_form(accept, (PNG, SVG, JSON)) == form


@pytest.mark.parametrize("accept", ["text/html", "image/png;q=0", "*/*;q=0", ";;,"])
def test_a_form_that_the_caller_does_not_accept_is_not_sent(accept: str):
    with pytest.raises(NotAcceptable, match="image/png or image/svg"):
        choose_form(accept, (PNG, SVG))


@pytest.mark.parametrize(
    ("accept", "is_asked"),
    [
        (None, False),
        (BROWSER, False),
        (JSON, False),
        (PNG, True),
        ("image/*", True),
        (f"{SVG}, */*;q=0.1", True),
        ("text/html", False),
    ],
)
def test_a_picture_is_asked_for_where_it_would_be_answered(accept: str | None, *, is_asked: bool):
    assert asks_for_picture(accept) is is_asked
