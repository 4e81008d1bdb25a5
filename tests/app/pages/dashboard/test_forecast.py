"""The page Forecast in a real browser: its numbers are the API's, as of any past time; backtests run from it."""

import math
import re
from collections.abc import Iterator
from typing import Any, Literal

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from planner.vms.misses import REASONS, write_debt
from planner.wording import write_number
from tests.app.browsing import Watched, watch_page
from tests.app.decision_calls import TARGET, decide, put_policy
from tests.app.load.snapshots.test_routes import snapshot
from tests.app.processes import Service

COLOURS: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
AS_OF = "2026-11-18T01:20:00.000Z"


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    with watch_page(browser, viewport={"width": 1280, "height": 900}, bypass_csp=True) as watched:
        yield watched
        assert watched.complaints == []


def visit(watched: Watched, service: Service, name: str, query: str = "") -> Page:
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}/forecast{query}")
    return watched.page


def find_section(page: Page, heading: str) -> Locator:
    return page.locator("section", has=page.get_by_role("heading", name=heading))


def write_coverage(lead: dict[str, Any]) -> str:
    if lead["coverage"] is None:
        return "–"
    covered, least, most = (
        f"{math.floor(100 * lead[key] + 0.5)}%" for key in ("coverage", "least_coverage", "most_coverage")
    )
    return f"{covered} ({least} to {most})"


def write_rate(rate: float) -> str:
    return f"{round(rate)}/s"


def test_the_forecast_as_of_a_past_time_is_the_apis_and_the_address_holds_it(
    client: httpx.Client, watched: Watched, service: Service, measured: str
):
    page = visit(watched, service, measured, f"?steps=15&as_of={AS_OF}")
    card = find_section(page, "The external rate to come")
    terms: dict[str, Any] = {"level": 0.9, "steps": 15, "history_steps": 45}
    url = f"/v1/topologies/{measured}/forecasts/workload"
    said = client.get(url, params=terms | {"as_of": AS_OF}).json()["expected"]
    inside = sum(one["lower"] <= one["came_rate"] <= one["upper"] for one in said)
    last = {key: write_rate(said[-1][key]) for key in ("rate", "lower", "upper")}
    expect(card.locator(".figures")).to_contain_text(f"{last['rate']} ({last['lower']} to {last['upper']})")
    expect(card.locator(".figures")).to_contain_text(f"{inside} of 15")
    card.get_by_text("As a table").click()
    row = card.get_by_role("row").filter(has_text="01:34")
    expect(row).to_contain_text(write_rate(said[-1]["came_rate"]))
    expect(row).to_contain_text(last["upper"])
    slider = card.get_by_label(re.compile("^as of"))
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"as_of=2026-11-18T01%3A21%3A00"))
    moved = client.get(url, params=terms | {"as_of": "2026-11-18T01:21:00Z"}).json()["expected"][-1]
    expect(card.locator(".figures")).to_contain_text(f"{write_rate(moved['rate'])} (")
    card.get_by_role("button", name="As of now").click()
    now = client.get(url, params=terms).json()["expected"][-1]
    expect(card.locator(".figures")).to_contain_text(f"{write_rate(now['rate'])} (")
    expect(card.get_by_role("button", name="As of now")).to_have_count(0)
    assert "as_of" not in page.url
    visit(watched, service, measured, f"?steps=30&as_of={AS_OF}")
    expect(card.get_by_label("ahead")).to_have_value("30")
    expect(card.get_by_role("button", name="As of now")).to_be_visible()
    page.go_back()
    expect(card.get_by_label("ahead")).to_have_value("15")


def test_the_accuracy_of_each_lead_is_the_apis(
    client: httpx.Client, watched: Watched, service: Service, measured: str
):
    page = visit(watched, service, measured)
    card = find_section(page, "How true were forecasts")
    said = client.get(f"/v1/topologies/{measured}/forecasts/accuracy", params={"level": 0.9}).json()
    expect(card).to_contain_text(f"computed anew for {said['origins']} past times")
    # The highest rate of one interval is its rate: it is shown once.
    peaks = [one for one in said["peaks"] if one["steps"] > 1]
    for table, leads in zip((0, 1), (said["rates"], peaks), strict=True):
        rows = card.locator("table").nth(table).locator("tbody tr")
        expect(rows).to_have_count(len(leads))
        for row, lead in zip(rows.all(), leads, strict=True):
            expect(row.locator("td").nth(0)).to_have_text(str(lead["judged"]))
            expect(row.locator("td").nth(3)).to_contain_text(write_coverage(lead))
    expect(find_section(page, "VMs for the coming intervals")).to_contain_text(
        "no throughput of this topology is stored"
    )
    assert "/forecasts/vms" not in "".join(watched.asked)


def write_share(share: float) -> str:
    return f"{write_number(100 * share, digits=4)}%"


def describe_schedule(schedule: dict[str, Any]) -> list[str]:
    """The sentences below a schedule; no record is sent from the page, so nothing is known of what was kept."""
    price, cap = write_number(schedule["price"]), write_number(schedule["price_cap"])
    return [
        f"A missed step counts as much as {price} VMs for a step; the most allowed is {cap}.",
        "Without a record of the VMs that ran, the target chose the VMs above, and not this price.",
        f"What keeps the schedule from serving more: {REASONS[schedule['binding']]}.",
    ]


def describe_run(run: dict[str, Any]) -> list[str]:
    """The sentences of a run, from the numbers of the API; those that are null have none."""
    kept, least, most = (write_share(run[key]) for key in ("kept_so_far", "least_kept", "most_kept"))
    said = [f"Kept so far: {kept} ({least} to {most} by chance), {write_debt(run['debt_steps'])}."]
    if run["expected"] is not None:
        said.append(f"The policy expected to serve {write_share(run['expected'])}.")
    if run["kept_with_demand"] != run["kept_so_far"]:
        said.append(f"Of the steps with demand, {write_share(run['kept_with_demand'])} were served.")
    if run["price"] is not None:
        price, cap = write_number(run["price"]), write_number(run["price_cap"])
        said.append(
            f"A missed step counted at the end of the run as much as {price} VMs for a step; the most allowed is {cap}."
        )
    said.append(f"What kept the run from serving more: {REASONS[run['binding']]}.")
    causes = sorted(filter(lambda one: one[1], run["misses"].items()), key=lambda one: -one[1])
    said.append(
        f"Missed steps: {', '.join(f'{many} because of {REASONS[cause]}' for cause, many in causes)}."
    )
    if days := [
        f"day {one['day']} with {write_share(one['served'])}, mostly because of {REASONS[one['cause']]}"
        for one in run["days_below"]
    ]:
        said.append(f"More than a point below the target: {'; '.join(days)}.")
    return said


def test_a_backtest_runs_from_the_page_and_its_numbers_are_the_apis(
    client: httpx.Client, watched: Watched, service: Service, grep_week: str
):
    page = visit(watched, service, grep_week)
    schedule = client.post(f"/v1/topologies/{grep_week}/forecasts/vms", json={"horizon": 6}).json()
    rows = find_section(page, "VMs for the coming intervals").locator("tbody tr")
    expect(rows).to_have_count(6)
    for row, one in zip(rows.all(), schedule["intervals"], strict=True):
        expect(row.locator("td").nth(1)).to_have_text(str(one["vms"]))
        expect(row).not_to_contain_text("met")
    expect(find_section(page, "VMs for the coming intervals")).to_contain_text(f"▲ {schedule['verdict']}")
    said = find_section(page, "VMs for the coming intervals").locator("ul.kept li")
    assert said.all_text_contents() == describe_schedule(schedule)
    card = find_section(page, "Backtests")
    card.get_by_label("with a margin").uncheck()
    card.get_by_label("runs of each").fill("1")
    card.get_by_role("button", name="Run a backtest").click()
    expect(card.locator("table.wide")).to_contain_text("succeeded")
    every = client.get("/v1/backtests").json()["items"]
    (stored,) = [one for one in every if one["parameters"]["workload_name"] == grep_week]
    result = client.get(f"/v1/backtests/{stored['id']}").json()
    found = card.locator("table.summary tbody tr")
    expect(found).to_contain_text(["headgate", "mst"])
    served = [f"{summary['qos_percent']:.3g}%" for summary in result["summary"]]
    expect(found.locator("td:nth-child(3)")).to_have_text(served)
    expect(card).to_contain_text("Too short to judge: headgate, mst. These runs are shorter than a week")
    assert [run["price"] is None for run in result["rows"]] == [False, True]
    for place, run in enumerate(result["rows"]):
        card.get_by_role("combobox").select_option(index=place)
        expect(card.locator("ul.kept li")).to_have_text(describe_run(run))
    page.wait_for_function("document.querySelector('img.picture')?.naturalWidth > 0")
    for scheme in COLOURS:
        page.emulate_media(color_scheme=scheme)
        looked = Axe().run(page)
        assert looked.violations_count == 0, looked.generate_report()
    card.get_by_role("button", name="Delete").click()
    expect(card).to_contain_text("None is stored yet")
    assert client.get(f"/v1/backtests/{stored['id']}").status_code == 404


def test_what_is_missing_is_said_and_is_no_error(
    client: httpx.Client, watched: Watched, service: Service, known: str
):
    page = visit(watched, service, known)
    expect(page.get_by_role("heading", name="There is too little to forecast from")).to_be_visible()
    expect(page.locator(".card")).to_contain_text("0 are stored")
    assert page.get_by_role("alert").count() == 0
    sent = [snapshot(minute, external_rate=300.0 + minute * 7 % 5) for minute in range(40)]
    assert client.post(f"/v1/topologies/{known}/snapshots", json=sent).status_code == 201
    put_policy(client, known, TARGET)
    decide(client, known, 40)
    page.reload()
    expect(page.get_by_role("heading", name="What decisions were ready for")).to_be_visible()
    # A forecast counts when its time is over, a miss too.
    more = [
        snapshot(40, external_rate=2000.0),
        *(snapshot(minute, external_rate=300.0) for minute in range(41, 50)),
    ]
    assert client.post(f"/v1/topologies/{known}/snapshots", json=more).status_code == 201
    page.reload()
    expect(find_section(page, "What decisions were ready for")).to_contain_text("▲ 0% (0% to 79%)")
