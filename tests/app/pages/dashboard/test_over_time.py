"""Charts over time: ranges in the address, zoom by drag, one cursor, gaps, decisions as marks, and the forecast."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, expect

from app.load.bodies.topology import FPD
from tests.app.browsing import Watched, watch_page
from tests.app.decision_calls import ENOUGH, RATES
from tests.app.pages.overview.test_routes import decide
from tests.app.processes import Service

POLICY = {"goal": {"t_max_seconds": 0.06}}
GAP = range(20, 32)


@pytest.fixture
def past(client: httpx.Client, name: str) -> dict[str, Any]:
    """A decision about a topology with an hour of measurements and a gap."""
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    now = datetime.now(UTC)
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    sent = [
        {
            "observed_at": (now - timedelta(minutes=age + 1)).isoformat(),
            "external_rate": 300.0 + age,
            "operators": operators,
        }
        for age in range(60)
        if age not in GAP
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=sent).is_success
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY).is_success
    return decide(client, name)


def find_chart(watched: Watched, label: str) -> Locator:
    return watched.page.locator("figure").filter(
        has=watched.page.locator("b", has_text=re.compile(f"^{re.escape(label)}$"))
    )


def open_past(watched: Watched, service: Service, name: str, query: str = "?range=1h") -> None:
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}{query}")
    expect(find_chart(watched, "External rate")).to_be_visible()


def test_a_range_is_picked_and_kept_in_the_address(
    watched: Watched, service: Service, past: dict[str, Any], name: str
):
    open_past(watched, service, name, "")
    page = watched.page
    with page.expect_request(lambda one: "/series?" in one.url and "from=" in one.url):
        page.get_by_role("button", name="6 h", exact=True).click()
    expect(page).to_have_url(re.compile(r"range=6h$"))
    page.reload()
    expect(page.get_by_role("button", name="6 h", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="24 h", exact=True).click()
    expect(page).to_have_url(re.compile(f"{name}$"))
    assert past["action"] == "scale_up"


def test_a_part_that_is_drawn_over_is_shown_alone(
    watched: Watched, service: Service, past: dict[str, Any], name: str
):
    open_past(watched, service, name)
    drawing = find_chart(watched, "External rate").get_by_role("img")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    watched.page.mouse.move(box["x"] + 0.25 * box["width"], middle)
    watched.page.mouse.down()
    watched.page.mouse.move(box["x"] + 0.5 * box["width"], middle, steps=4)
    expect(watched.page.locator(".picking")).to_have_count(3)
    watched.page.mouse.up()
    expect(watched.page).to_have_url(re.compile(r"from=.*&to="))
    assert past["id"]


def test_all_charts_share_one_cursor(watched: Watched, service: Service, past: dict[str, Any], name: str):
    open_past(watched, service, name)
    find_chart(watched, "E[T]").get_by_role("img").focus()
    watched.page.keyboard.press("ArrowLeft")
    expect(watched.page.locator(".chart line.cursor")).to_have_count(3)
    read = [find_chart(watched, one).locator(".readout").inner_text() for one in ("E[T]", "Processors")]
    assert read[0].partition(":")[0] == read[1].partition(":")[0]
    watched.page.keyboard.press("Escape")
    expect(watched.page.locator(".chart line.cursor")).to_have_count(0)
    assert past["id"]


def test_a_gap_is_labelled_and_the_forecast_stands_in_the_chart_of_the_rate(
    client: httpx.Client, watched: Watched, service: Service, past: dict[str, Any], name: str
):
    open_past(watched, service, name)
    rate = find_chart(watched, "External rate")
    expect(rate.locator(".gap")).to_contain_text("no data")
    expect(rate.locator("path.band")).to_have_count(1)
    expect(rate.locator(".key.band")).to_have_text("90% band")
    expect(rate.locator(".axis").first).to_have_text(re.compile(r"^\d+ [A-Z][a-z]{2} \d\d:\d\d$"))
    said = client.get(f"/v1/topologies/{name}/forecasts/workload?level=0.9&steps=60").json()
    rate.get_by_text("As a table").click()
    shown = f"{said['expected'][0]['rate']:.3g}/s"
    expect(rate.get_by_role("table")).to_contain_text(shown)
    assert past["id"]


def test_an_outlier_stands_above_a_break_of_the_axis(
    client: httpx.Client, watched: Watched, service: Service, past: dict[str, Any], name: str
):
    begin = datetime.now(UTC) - timedelta(minutes=90)
    sent = [
        {
            "observed_at": (begin + timedelta(minutes=minute)).isoformat(),
            "external_rate": 300.0,
            "operators": {},
            "measured_sojourn_seconds": 5.0 if minute == 10 else 0.05,
        }
        for minute in range(20)
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=sent).is_success
    open_past(watched, service, name, "?range=6h")
    times = find_chart(watched, "E[T]")
    expect(times.locator("figcaption")).to_contain_text("the axis is broken above 200 ms")
    heights = times.locator("svg text[text-anchor=end]").evaluate_all(
        "all => Object.fromEntries(all.map(one => [one.textContent, Number(one.getAttribute('y'))]))"
    )
    wave = float(str(times.locator("path.break").get_attribute("d")).split()[1].partition("q")[0])
    (highest,) = [text for text, height in heights.items() if height < wave]
    assert highest.endswith(" s"), "the mean of the seconds of a point"
    assert wave < heights["200 ms"] < heights["0 s"]
    expect(find_chart(watched, "External rate").locator("path.break")).to_have_count(0)
    assert past["id"]


def test_a_change_is_a_mark_that_says_its_reason_on_focus(
    watched: Watched, service: Service, past: dict[str, Any], name: str
):
    open_past(watched, service, name)
    counts = past["processors"]
    mark = watched.page.get_by_role("group", name="Changes that were decided").get_by_role("button")
    expect(mark).to_have_count(1)
    mark.focus()
    said = watched.page.locator(".events .readout")
    expect(said).to_contain_text(past["reasons"][0]["detail"])
    expect(said).to_contain_text(f"{counts['current_total']} → {counts['recommended_total']}")


def test_processors_of_one_operator_are_those_of_the_decisions(
    watched: Watched, service: Service, past: dict[str, Any], name: str
):
    open_past(watched, service, name)
    watched.page.get_by_label("Processors of").select_option("detector")
    chart = find_chart(watched, "Processors")
    chart.get_by_text("As a table").click()
    of = past["processors"]
    expect(chart.get_by_role("row").last).to_contain_text(
        f"{of['current']['detector']}{of['recommended']['detector']}"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_the_charts(
    browser: Browser, service: Service, past: dict[str, Any], name: str, scheme: str
):
    with watch_page(browser, color_scheme=scheme, bypass_csp=True) as watched:
        open_past(watched, service, name)
        found = Axe().run(watched.page)
        assert found.violations_count == 0, found.generate_report()
        assert watched.complaints == []
    assert past["id"]
