"""Accept: the most specific range counts, and among equals the service's own order."""

import httpx
import pytest

from app.http.errors import NotAcceptable
from app.http.negotiation import JSON, PNG, SVG, choose_form

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
def test_what_nobody_takes_is_not_sent(accept: str):
    with pytest.raises(NotAcceptable, match="image/png or image/svg"):
        choose_form(accept, (PNG, SVG))


@pytest.mark.parametrize("accept", [BROWSER, "text/html"])
def test_a_browser_at_the_root_is_led_to_the_documentation(client: httpx.Client, accept: str):
    answer = client.get("/", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Location"]) == (307, "/docs")
    assert answer.headers["Vary"] == "Accept"
    assert client.get(answer.headers["Location"]).status_code == 200


@pytest.mark.parametrize("accept", ["*/*", "application/json", "image/png", ""])
def test_a_program_at_the_root_is_told_where_everything_is(client: httpx.Client, accept: str):
    answer = client.get("/", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    index = answer.json()
    assert {"name", "version", "docs", "openapi"} <= index.keys()
    for name, address in index.items():
        if name not in {"name", "version"}:
            assert client.get(address).status_code == 200, name
