"""The page of a topology: three numbers, where tuples wait longest, instances, and reasons in time."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from planner.wording import write_rate, write_seconds
from tests.app.browsing import Watched
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service

POLICY = {"goal": {"t_max_seconds": 0.06}}


@pytest.fixture
def decided(client: httpx.Client, name: str) -> dict[str, Any]:
    """A decision about a topology whose target is missed."""
    add(client, name)
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY).is_success
    return decide(client, name)


def test_three_numbers_say_what_runs_how_long_it_takes_and_how_much_more_is_carried(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}")
    big = watched.page.locator(".big")
    expect(big).to_have_count(3)
    counts = decided["processors"]
    expect(big.nth(0)).to_contain_text(f"{counts['current_total']}↗{counts['recommended_total']}")
    before, after = decided["current"]["expected_sojourn_seconds"], decided["expected_sojourn_seconds"]
    expect(big.nth(1)).to_contain_text(f"{write_seconds(before)}↘{write_seconds(after)}")
    expect(big.nth(1)).to_contain_text("▲ above the target of 60 ms")
    expect(big.nth(2)).to_contain_text(write_rate(decided["external_rate"]))
    expect(watched.page.locator(".known-error")).to_contain_text(decided["current"]["evidence"]["detail"])


def test_the_operator_at_which_tuples_wait_longest_is_named(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}")
    waits = {one["name"]: one["visits"] * one["wait_seconds"] for one in decided["current"]["operators"]}
    longest = max(waits, key=lambda one: waits[one])
    said = watched.page.get_by_text(f"Tuples wait longest at {longest}")
    expect(said).to_contain_text(write_seconds(waits[longest]))
    label = watched.page.locator(".box.middle").get_attribute("aria-label") or ""
    assert label.startswith(f"{longest}: ")
    assert label.endswith("tuples wait longest here")
    expect(watched.page.get_by_role("list", name="Legend")).to_contain_text("cannot keep up")
    flows = watched.page.locator(".graph .flow").all_text_contents()
    assert len(flows) > 0
    assert all(one.endswith("/s") for one in flows)


def test_behind_an_operator_stand_the_measured_shares_of_its_instances(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    body = {"name": name, "operators": [{"name": "only", "queueing": "keyed"}]}
    assert client.post("/v1/topologies", json=body).status_code == 201
    shares = [{"instance": str(place), "share": share} for place, share in enumerate((0.2, 0.5, 0.3))]
    sent = {
        "observed_at": (datetime.now(UTC) - timedelta(minutes=2)).isoformat(),
        "external_rate": 100.0,
        "operators": {"only": {"service_rate": 500.0, "processors": 3, "instances": shares}},
    }
    answer = client.post(f"/v1/topologies/{name}/snapshots", json=sent)
    assert answer.status_code == 201, answer.text
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}?operator=only")
    bars = watched.page.get_by_role("region", name="Instances of only")
    expect(bars.get_by_role("listitem")).to_have_text(["150%", "230%", "020%"])
    expect(bars).to_contain_text("The busiest instance gets 50%")


def test_reasons_are_a_timeline(watched: Watched, service: Service, decided: dict[str, Any], name: str):
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}")
    steps = watched.page.locator(".timeline .step")
    for reason in decided["reasons"]:
        expect(watched.page.locator(".verdict .reasons")).to_contain_text(reason["detail"])
    expect(steps.first).to_have_class("step scale_up")
    expect(steps.filter(has_text="One processor fewer")).to_contain_text(
        decided["counterfactuals"]["one_fewer_detail"]
    )
