"""Pages with long names, many operators, too much load, and old or no answers in a real browser."""

import httpx
from playwright.sync_api import Browser, expect

from tests.app.browsing import Watched, watch_page
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service, StartService

POLICY = {"goal": {"t_max_seconds": 0.06}}


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
    assert client.put(f"/v1/topologies/{long}/policy", json=POLICY).is_success
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


def test_what_cannot_keep_up_and_what_is_old_are_said(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    over, old = f"{name}-over", f"{name}-old"
    add(client, over, rate=900.0)
    assert client.put(f"/v1/topologies/{over}/policy", json=POLICY).is_success
    decide(client, over)
    add(client, old, minutes_ago=60.0)
    visit(watched, service, "/")
    page = watched.page
    page.get_by_label("name contains").fill(name)
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("▲ overloaded")
    expect(rows.last).to_contain_text("◌ stale")
    page.get_by_role("link", name=over).click()
    expect(page.locator(".verdict")).to_contain_text("unbounded")
    expect(page.locator(".graph .over").first).to_be_visible()
    visit(watched, service, f"/topologies/{old}")
    expect(page.get_by_text("Nothing is decided until a newer snapshot is sent")).to_be_visible()


def test_a_service_that_goes_away_is_said_beside_its_last_answer(
    browser: Browser, empty_database_url: str, start_service: StartService
):
    service = start_service(database_url=empty_database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        add(client, "calm")
    with watch_page(browser) as watched:
        page = watched.page
        page.clock.install()
        visit(watched, service, "/")
        expect(page.get_by_role("rowheader", name="calm")).to_be_visible()
        service.stop()
        page.clock.fast_forward(16_000)
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_role("rowheader", name="calm")).to_be_visible()
