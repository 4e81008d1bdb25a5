"""Pages with long names and with many operators in a real browser."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.app.browsing import Watched, open_browser, watch_page
from tests.app.overviews.test_routes import add, decide
from tests.app.processes import Service

POLICY = {"goal": {"t_max_seconds": 0.06}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    with watch_page(browser, viewport={"width": 1280, "height": 900}) as watched:
        yield watched
        assert watched.complaints == []


def visit(watched: Watched, service: Service, path: str) -> None:
    watched.page.goto(f"{service.url}/ui/#{path}")


def test_names_without_end_push_nothing_off_the_page(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    operator, long = "w" * 200, name + "y" * (200 - len(name))
    assert (
        client.post("/v1/topologies", json={"name": name, "operators": [{"name": operator}]}).status_code
        == 201
    )
    add(client, long)
    assert client.put(f"/v1/topologies/{long}/policy", json=POLICY).status_code == 200
    decide(client, long)
    for path, header in (("/", long), (f"/topologies/{name}", operator)):
        visit(watched, service, path)
        expect(watched.page.get_by_role("rowheader", name=header)).to_be_visible()
        if operator in header:
            expect(watched.page.locator("pre")).to_contain_text(operator)
        beyond = (
            "[...document.querySelectorAll('main, main *')].filter(e => e.scrollWidth > innerWidth)"
            ".map(e => `${e.tagName} ${e.getAttribute('class')} ${e.scrollWidth}`)"
        )
        assert watched.page.evaluate(beyond) == [], path


def test_a_thousand_operators_are_shown_as_a_neighbourhood_and_a_table(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    names = [f"o{i}" for i in range(1000)]
    edges = [{"source": f"o{i // 3}", "target": f"o{i}"} for i in range(1, 1000)]
    topology = {"name": name, "operators": [{"name": one} for one in names], "edges": edges}
    assert client.post("/v1/topologies", json=topology).status_code == 201
    visit(watched, service, f"/topologies/{name}")
    page = watched.page
    expect(page.get_by_text("Shows 60 of 1000 operators")).to_be_visible()
    expect(page.locator(".graph .box")).to_have_count(60)
    rows = page.get_by_role("rowheader")
    expect(rows).to_have_count(100)
    expect(page.get_by_text("100 of 1,000 operators.")).to_be_visible()
    page.get_by_role("button", name="Show 100 more").click()
    expect(rows).to_have_count(200)
    assert len(set(rows.all_inner_texts())) == 200
