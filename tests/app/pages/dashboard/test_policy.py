"""A policy is edited where it is seen: tried on stored intervals first, and stored by a click that says so."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from playwright.sync_api import Locator, expect

from tests.app.browsing import Watched
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service

POLICY = {"goal": {"t_max_seconds": 0.06}, "cooldown_seconds": 600.0}


def open_draft(client: httpx.Client, watched: Watched, service: Service, name: str) -> Locator:
    """The draft of the policy of a topology with a decision."""
    add(client, name)
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY).is_success
    decide(client, name)
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}")
    card = watched.page.locator(".policy")
    expect(card).to_contain_text("E[T] at most 60 ms. Changes are at least 10 min apart.")
    card.get_by_role("button", name="Edit and preview").click()
    return card


def read_policy(client: httpx.Client, name: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/v1/topologies/{name}/policy").json()
    return found


def test_a_draft_is_previewed_before_it_is_stored(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    card = open_draft(client, watched, service, name)
    before = read_policy(client, name)
    store = card.get_by_role("button", name="Store this policy")
    expect(store).to_be_disabled()
    card.get_by_label("E[T] at most, in ms").fill("90 ms")
    card.get_by_role("button", name="Preview").click()
    expect(store).to_be_enabled()
    wanted = {key: one for key, one in before.items() if key != "updated_at"}
    wanted["goal"] = wanted["goal"] | {"t_max_seconds": 0.09}
    said = client.post(f"/v1/topologies/{name}/policy/replay", json={"policy": wanted}).json()
    row = card.get_by_role("row").filter(has_text="this draft")
    expect(row).to_contain_text(f"{said['processor_hours']:.3g}{said['changes']}")
    ran = card.get_by_role("row").filter(has_text="what ran")
    expect(ran).to_contain_text(f"{said['ran']['processor_hours']:.3g}{said['ran']['changes']}")
    assert read_policy(client, name) == before
    card.get_by_label("minutes between changes").fill("20")
    expect(store).to_be_disabled()
    expect(card.get_by_text("The numbers below are for what was entered before.")).to_be_visible()
    card.get_by_role("button", name="Preview").click()
    store.click()
    expect(card.get_by_text("Stored. The next decision follows it.")).to_be_visible()
    stored = read_policy(client, name)
    assert (stored["goal"]["t_max_seconds"], stored["cooldown_seconds"]) == (0.09, 1200.0)
    expect(card).to_contain_text("E[T] at most 90 ms. Changes are at least 20 min apart.")


def test_times_without_changes_are_added_and_a_pause_mutes_the_topology(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    card = open_draft(client, watched, service, name)
    card.get_by_label("Days").select_option("1-5")
    card.get_by_label("From").fill("09:30")
    card.get_by_label("Hours").fill("2")
    card.get_by_role("button", name="Add").click()
    expect(card.get_by_role("listitem")).to_contain_text("Monday to Friday from 09:30 for 2 h")
    card.get_by_role("button", name="Mute for 4 h").click()
    expect(card.get_by_role("listitem")).to_have_count(2)
    card.get_by_role("button", name="Preview").click()
    card.get_by_role("button", name="Store this policy").click()
    expect(card.get_by_text("Stored.")).to_be_visible()
    weekly, muted = read_policy(client, name)["excluded"]
    assert weekly == {"cron": "30 9 * * 1-5", "zone": "UTC", "hours": 2.0, "until": None}
    ends = datetime.fromisoformat(muted["until"]) - datetime.now(UTC)
    assert (muted["hours"], timedelta(hours=3.9) < ends <= timedelta(hours=4)) == (4.25, True)
    expect(card.get_by_role("listitem").last).to_have_text(
        f"once, until {muted['until'][:16].replace('T', ' ')}"
    )
    decision = client.post(f"/v1/topologies/{name}/decisions").json()
    assert decision["action"] == "hold", decision["reasons"]


def test_a_policy_that_another_stored_meanwhile_is_shown_and_not_overwritten(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    card = open_draft(client, watched, service, name)
    card.get_by_label("E[T] at most, in ms").fill("90 ms")
    card.get_by_role("button", name="Preview").click()
    other = POLICY | {"goal": {"t_max_seconds": 0.07}}
    assert client.put(f"/v1/topologies/{name}/policy", json=other).status_code == 200
    card.get_by_role("button", name="Store this policy").click()
    expect(card.get_by_role("alert")).to_contain_text("Another policy was stored while you edited")
    assert read_policy(client, name)["goal"]["t_max_seconds"] == 0.07
    card.get_by_role("button", name="Show that policy").click()
    expect(card).to_contain_text("E[T] at most 70 ms.")
    # The browser writes each refused answer to its console.
    watched.complaints[:] = [one for one in watched.complaints if "412" not in one]
