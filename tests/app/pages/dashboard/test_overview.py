"""The overview: totals, the day of each topology beside its target, sorting, groups by label."""

import httpx
import pytest
from playwright.sync_api import expect

from app.load.bodies.topology import FPD
from tests.app.browsing import Watched
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service, StartService

POLICY = {"goal": {"t_max_seconds": 0.06}}


@pytest.fixture
def filled(empty_database_url: str, start_service: StartService) -> Service:
    """A service with three topologies: one misses its target, one is within it, one has no policy."""
    service = start_service(database_url=empty_database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        add(client, "calm", measured_sojourn_seconds=0.05)
        add(client, "missed", measured_sojourn_seconds=0.12)
        add(client, "plain")
        for name in ("calm", "missed"):
            labelled = FPD | {"name": name, "labels": ["payments"]}
            assert client.put(f"/v1/topologies/{name}", json=labelled).is_success
            prices = {"prices": {"processor_hour": 0.05, "late_minute": 2.0}} if name == "calm" else {}
            assert client.put(f"/v1/topologies/{name}/policy", json=POLICY | prices).is_success
            decide(client, name)
    return service


def test_totals_and_days_are_those_of_the_api_and_rows_can_be_sorted_and_grouped(
    watched: Watched, filled: Service
):
    rows = httpx.get(f"{filled.url}/v1/overview").json()["items"]
    known = [one for one in rows if one["processors_running"] is not None]
    (calm,) = [one for one in rows if one["name"] == "calm"]
    page = watched.page
    page.goto(f"{filled.url}/ui/")
    totals = page.get_by_role("region", name="Totals")
    expect(totals).to_contain_text(f"running{sum(one['processors_running'] for one in known)}")
    expect(totals).to_contain_text(f"recommended{sum(one['processors_recommended'] for one in known)}")
    share = sum(one["kept_minutes"] for one in rows) / sum(one["judged_minutes"] for one in rows)
    expect(totals).to_contain_text(f"last 7 days{100 * share:.0f}%of 6 min with a measured E[T]")
    expect(page.get_by_role("row").filter(has_text="missed").get_by_text("0%", exact=True)).to_be_visible()
    now, then = (36 * calm[f"processors_{name}"] for name in ("running", "recommended"))
    expect(totals).to_contain_text(f"{now:,}↗{then:,}of 1 of 2 topologies: {then - now:,} more")
    names = page.locator("tbody th a")
    expect(names).to_have_text([row["name"] for row in rows])
    drawn = page.get_by_role("img", name="E[T] of the last 24 hours")
    expect(drawn).to_have_count(2)
    page.get_by_role("button", name="topology", exact=True).click()
    expect(names).to_have_text(["calm", "missed", "plain"])
    page.get_by_role("button", name="topology").first.click()
    expect(names).to_have_text(["plain", "missed", "calm"])
    expect(page.get_by_role("columnheader").first).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="topology").first.click()
    page.get_by_label("by label").check()
    expect(page.locator("tr.group")).to_have_text(["payments 2 topologies", "without a label 1 topology"])


def test_an_operator_of_any_topology_is_found(watched: Watched, filled: Service):
    page = watched.page
    page.goto(f"{filled.url}/ui/")
    expect(page.locator("tbody th a")).to_have_count(3)
    page.keyboard.press("/")
    page.get_by_role("combobox").fill("repor")
    option = page.get_by_role("listbox").get_by_role("option").filter(has_text="calm")
    expect(option).to_contain_text("has an operator like")
    option.click()
    expect(page.locator("tr.picked")).to_contain_text("reporter")
