"""The decisions page in a real browser: each of its cells is the API's, and its filters are the API's filters."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from sqlalchemy import text

from planner.wording import write_signed_percent
from tests.app.browsing import open_browser, watch_page
from tests.app.deciding.outcomes.histories import simulate
from tests.app.decision_calls import TARGET, at, put_policy
from tests.app.processes import Service, open_session

STATES = {
    "held": "nothing to apply",
    "waiting": "not yet",
    "partly-applied": "in part",
    "not-applied": "not applied",
    "unknown": "not known",
}
ACTIONS = {"hold": "keep", "scale_up": "more", "scale_down": "fewer", "rebalance": "another split"}
KEPT = {True: "✓ within", False: "▲ above", None: "–"}
COPY = text(
    "INSERT INTO decisions "
    "(id, topology_id, revision, policy_key, answer, base_id, changed, decided_for, action, external_rate, created_at) "
    "SELECT gen_random_uuid(), d.topology_id, d.revision, d.policy_key, d.answer, d.base_id, d.changed, "
    "d.decided_for, d.action, d.external_rate, d.created_at - make_interval(secs => i) FROM decisions d "
    "JOIN topologies t ON t.id = d.topology_id "
    "CROSS JOIN generate_series(1, 40) i WHERE t.name = :name AND d.action = 'hold' LIMIT 120"
)


@pytest.fixture
def page() -> Iterator[Page]:
    with (
        open_browser() as browser,
        watch_page(browser, viewport={"width": 1440, "height": 900}, bypass_csp=True) as watched,
    ):
        yield watched.page
        assert all("422" in one for one in watched.complaints), "a bad address is refused, and nothing else"


def test_every_cell_is_the_apis_and_a_shared_address_holds_the_filter(
    client: httpx.Client, service: Service, known: str, database_url: str, page: Page
):
    put_policy(client, known, TARGET)
    simulate(client, known, 1, 80)
    url, address = f"/v1/topologies/{known}/decisions", f"{service.url}/ui/#/topologies/{known}/decisions"
    page.goto(address)
    every = client.get(url).json()["items"]
    check_rows(page, every)
    check_summary(page, every)
    applied = {one["observed"]["applied_at"] for one in every} - {None}
    expect(page.locator("figure").first.locator(".mark")).to_have_count(len(applied))

    page.get_by_label("action").select_option("scale_up")
    expect(page).to_have_url(re.compile(r"/decisions\?action=scale_up$"))
    check_rows(page, client.get(url, params={"action": "scale_up"}).json()["items"])
    page.goto(address)
    expect(page.get_by_label("action")).to_have_value("")
    page.go_back()
    expect(page.get_by_label("action")).to_have_value("scale_up")
    page.get_by_label("data from (UTC)").fill("2026-11-18T00:40:00")
    page.get_by_label("data from (UTC)").blur()
    expect(page).to_have_url(re.compile("from=2026-11-18T00%3A40"))
    check_rows(page, client.get(url, params={"action": "scale_up", "from": at(40)}).json()["items"])

    page.goto(f"{address}?action=hold&to={quote('2026-11-18T00:30:00Z')}")
    check_rows(page, client.get(url, params={"action": "hold", "to": at(30)}).json()["items"])
    expect(page.get_by_label("action")).to_have_value("hold")
    expect(page.get_by_label("data to (UTC)")).to_have_value(re.compile("2026-11-18T00:30"))
    page.get_by_label("data to (UTC)").fill("2026-11-17T00:00:00")
    page.get_by_label("data to (UTC)").blur()
    expect(page.get_by_text("No decision is like that.")).to_be_visible()
    page.get_by_role("button", name="Show all decisions").click()
    check_rows(page, every)
    check_lengths(client, page, url, every)
    page.goto(f"{address}?from=yesterday")
    expect(page.get_by_role("alert").first).to_contain_text("must be a time")
    check_trial(client, page, url, address)
    check_more(client, page, known, address, database_url)


def check_lengths(client: httpx.Client, page: Page, url: str, every: list[dict[str, Any]]) -> None:
    """The last days are picked by a button, and all by another."""
    picked = page.get_by_role("group", name="Time of the data")
    picked.get_by_role("button", name="7 d").click()
    expect(page).to_have_url(re.compile("range=7d"))
    expect(picked.get_by_role("button", name="7 d")).to_have_attribute("aria-pressed", "true")
    recent = (datetime.now(UTC) - timedelta(days=7)).isoformat()
    expect(rows_of(page)).to_have_count(len(client.get(url, params={"from": recent}).json()["items"]))
    picked.get_by_role("button", name="all").click()
    check_rows(page, every)


def check_trial(client: httpx.Client, page: Page, url: str, address: str) -> None:
    """A decision for a past moment is marked as a trial, and does not count."""
    assert client.post(url, json={"at": at(30)}).json()["trial"]
    page.goto(address)
    expect(rows_of(page).filter(has_text="(a trial)")).to_have_count(1)
    expect(page.locator(".counts")).to_contain_text("1 trial below does not count")


def check_summary(page: Page, every: list[dict[str, Any]]) -> None:
    """The sentence above the table counts its rows, and the table fits in 1280 pixels."""
    kept = [one["observed"]["kept"] for one in every]
    told = f"Of {len(every)} shown: {kept.count(True)} ✓ within the limit, {kept.count(False)} ▲ above it, "
    told += f"{kept.count(None)} not"
    expect(page.locator(".counts")).to_contain_text(told)
    box = page.locator(".scroll", has=page.locator("table.decisions"))
    page.set_viewport_size({"width": 1280, "height": 900})
    assert box.evaluate("box => box.scrollWidth - box.clientWidth") == 0


def check_more(client: httpx.Client, page: Page, known: str, address: str, database_url: str) -> None:
    """More decisions than one page of the API has."""
    url = f"/v1/topologies/{known}/decisions"
    with open_session(database_url) as session:
        session.execute(COPY, {"name": known})
        session.commit()
    page.goto(address)
    expect(rows_of(page)).to_have_count(100)
    page.get_by_role("button", name="More", exact=True).click()
    expect(rows_of(page)).to_have_count(len(client.get(url, params={"limit": 1000}).json()["items"]))
    expect(page.get_by_role("button", name="More", exact=True)).to_have_count(0)
    newest = rows_of(page).first
    newest.get_by_text("Why", exact=True).click()
    for reason in client.get(url, params={"limit": 1}).json()["items"][0]["reasons"]:
        expect(newest).to_contain_text(f"{reason['detail']} {reason['code']}")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def rows_of(page: Page) -> Any:
    return page.locator("section", has=page.get_by_role("heading", name="Decisions", exact=True)).locator(
        "tbody.pair"
    )


def check_rows(page: Page, decisions: list[dict[str, Any]]) -> None:
    """The rows of the table, cell by cell, as text."""
    assert decisions, "the history has such decisions"
    expect(rows_of(page)).to_have_count(len(decisions))
    shown = rows_of(page).evaluate_all(
        "rows => rows.map(r => [...r.querySelectorAll('th, td')].map(c => c.innerText.trim()))"
    )
    for cells, one in zip(shown, decisions, strict=True):
        seen, counts, outcome = one["observed"], one["processors"], one["outcome"]
        now, then = counts["current_total"], counts["recommended_total"]
        reported = outcome["state"] if outcome and outcome["source"] == "reported" else "–"
        assert cells == [
            clock(one["decided_for"]),
            ACTIONS[one["action"]],
            str(now) if now == then else f"{now} → {then}",
            f"{short(one['external_rate'])}/s",
            clock(seen["applied_at"]) if seen["applied_at"] else STATES[seen["state"]],
            *[duration(seen[name]) for name in ("before_seconds", "expected_seconds", "measured_seconds")],
            signed(seen["relative_error"]),
            KEPT[seen["kept"]],
            reported,
            f"{seen['detail']}\nWhy",
        ], one["id"]


def clock(time: str) -> str:
    return datetime.fromisoformat(time).strftime("%Y-%m-%d %H:%M")


def duration(seconds: float | None) -> str:
    """Of what this history has: milliseconds, seconds, minutes."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{short(seconds * 1000)} ms"
    return f"{short(seconds)} s" if seconds < 120 else f"{short(seconds / 60)} min"


def short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def signed(part: float | None) -> str:
    return write_signed_percent(part)
