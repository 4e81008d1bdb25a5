"""Pages of measurements that are too old: nothing is recommended, the numbers are grey, there is no patch to copy."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.app.browsing import Watched
from tests.app.pages.overview.test_routes import add
from tests.app.processes import Service

POLICY = {"goal": {"t_max_seconds": 0.06}}
MINUTES = 60.0


@pytest.fixture
def decided(client: httpx.Client, name: str) -> dict[str, Any]:
    """A decision to change something, as it reads an hour after its data."""
    add(client, name, minutes_ago=MINUTES)
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY).is_success
    then = (datetime.now(UTC) - timedelta(minutes=MINUTES - 1)).isoformat()
    made = client.post(f"/v1/topologies/{name}/decisions", json={"at": then})
    assert (made.status_code, made.json()["action"]) == (201, "scale_up")
    found: dict[str, Any] = client.get(f"/v1/decisions/{made.json()['id']}").json()
    return found


def test_a_topology_of_old_measurements_says_why_nothing_is_recommended_and_what_to_do(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    page = watched.page
    page.goto(f"{service.url}/ui/#/topologies/{name}")
    verdict = page.locator(".verdict")
    for part in (decided["verdict"], decided["withheld"]["detail"], decided["withheld"]["remedy"]):
        expect(verdict).to_contain_text(part)
    expect(verdict.locator(".old .figures")).to_be_visible()
    expect(page.locator(".old").get_by_role("heading", name="Operators")).to_be_visible()
    expect(page.locator(".graph .box")).to_have_count(3)
    assert "→" not in (page.locator(".graph").text_content() or "")
    expect(page.get_by_role("heading", name="What to send where")).to_have_count(0)
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)


def test_a_what_if_on_old_measurements_is_grey_and_says_so(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}/what-if")
    expect(watched.page.locator(".old .figures")).to_be_visible()
    expect(watched.page.get_by_role("note")).to_contain_text("The newest snapshot ended")
    assert decided["withheld"]["code"] == "stale-snapshots"
    expect(watched.page.get_by_text("The decision recommends")).to_have_count(0)
