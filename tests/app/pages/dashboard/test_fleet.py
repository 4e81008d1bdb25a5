"""The page of the fleet in a real browser: its numbers are the API's, those that gain most come first."""

from collections.abc import Iterator

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.app.browsing import Watched
from tests.app.deciding.fleet.fleet_examples import add_member
from tests.app.processes import Service, StartService


@pytest.fixture
def fleet(client: httpx.Client, name: str) -> Iterator[str]:
    """The label of two topologies that share a budget, of which one lacks a processor."""
    for letter, rate, runs in (("a", 40.0, 9), ("b", 60.0, 6)):
        add_member(client, f"{name}-{letter}", name, rate, {"t_max_seconds": 0.12}, processors=runs)
    classes = [{"topologies": [f"{name}-b"], "priority": 1}]
    policy = {"k_max": 13, "topologies": {"label": name}, "classes": classes}
    assert client.put("/v1/fleet/policy", json=policy).is_success
    yield name
    client.delete("/v1/fleet/policy")


def test_a_fleet_is_a_bar_and_a_table_and_the_page_has_no_barrier(
    client: httpx.Client, watched: Watched, service: Service, fleet: str
):
    decided = client.post("/v1/fleet/decisions").json()
    page = watched.page
    page.goto(f"{service.url}/ui/#/fleet")
    expect(page.get_by_text(decided["detail"])).to_be_visible()
    expect(page.get_by_role("img", name="13 shared; all targets take 14")).to_be_visible()
    rows = {row["name"]: row for row in decided["topologies"]}
    shown = page.get_by_role("row")
    expect(shown).to_have_count(3)
    first = min(rows, key=lambda one: rows[one]["one_more_seconds"])
    expect(shown.nth(1)).to_contain_text(first)
    expect(page.get_by_role("row").filter(has_text=f"{fleet}-b").last).to_contain_text("6 → 8")
    expect(page.get_by_text(rows[f"{fleet}-a"]["lost"])).to_be_visible()
    assert Axe().run(page).violations_count == 0
    page.get_by_role("link", name=f"{fleet}-a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{fleet}-a")


def test_without_a_decision_the_page_says_how_to_make_one(
    watched: Watched, empty_database_url: str, start_service: StartService
):
    service = start_service(database_url=empty_database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        add_member(client, "alone", "any", 40.0)
    page = watched.page
    page.goto(f"{service.url}/ui/#/")
    page.get_by_role("link", name="One budget for all").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Who gets the next processor?")
    expect(page.get_by_text("headgate fleet decide")).to_be_visible()
