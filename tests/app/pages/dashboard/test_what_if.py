"""What if: its numbers belong to its terms, and have the names and the values that other pages give them."""

import re
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from planner.wording import write_number, write_rate, write_seconds
from tests.app.browsing import Watched
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service, StartService, wait_until
from tests.app.web.overload.test_admission import count_now, locked_topologies, post

POLICY = {"goal": {"t_max_seconds": 0.06}, "smoothing": {"kind": "window", "size": 3}}
WHAT_IF = "/v1/topologies/busy/what-if"
LIMIT = "E[T] at most, in ms"
LONG_SECONDS = 0.2
"""A call that took as long counts as long, and has to wait for the only slot."""


@pytest.fixture
def decided(client: httpx.Client, name: str) -> dict[str, Any]:
    """A decision on the mean of three snapshots, of which the newest has another rate."""
    add(client, name, measured_sojourn_seconds=0.05)
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY).is_success
    return decide(client, name)


def read_figures(watched: Watched, service: Service, path: str) -> dict[str, str]:
    """The numbers of a page by their names."""
    watched.page.goto(f"{service.url}/ui/#/topologies/{path}")
    expect(watched.page.locator(".figures")).to_have_count(1)
    for folded in watched.page.get_by_text("Each number, and what it is of").all():
        folded.click()
    expect(watched.page.locator(".figures")).to_be_visible()
    names = watched.page.locator(".figures dt").all_inner_texts()
    figures = dict(zip(names, watched.page.locator(".figures dd").all_inner_texts(), strict=True))
    assert len(figures) == len(names)
    return figures


def test_a_number_has_one_name_and_one_value_on_every_page_and_in_the_report(
    client: httpx.Client, watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    topology = read_figures(watched, service, name)
    what_if = read_figures(watched, service, f"{name}/what-if")
    rate = "rate, mean of the newest 3 snapshots"
    shared = topology.keys() & what_if.keys()
    runs = decided["processors"]["current_total"]
    assert {rate, "target", f"estimated E[T] of the {runs} that run, at {topology[rate]}"} <= shared
    assert {one: topology[one] for one in shared} == {one: what_if[one] for one in shared}
    assert topology[rate] == write_rate(decided["external_rate"])
    text = client.get(f"/v1/topologies/{name}/report?format=markdown").text
    assert f"| R{rate[1:]} | {topology[rate]} |" in text


def test_an_address_that_comes_into_an_open_page_sets_its_terms(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    page, address = watched.page, f"{service.url}/ui/#/topologies/{name}/what-if"
    page.goto(f"{address}?load=1.5&k_max=500&t_max=0.5")
    figures = page.locator("[aria-busy=false] .figures")
    expect(figures).to_contain_text("× 1.5")
    page.goto(f"{address}?load=1.17")
    expect(page.locator(".slider span")).to_have_text("1.17")
    expect(figures).to_contain_text(write_rate(1.17 * decided["external_rate"]))
    expect(page.get_by_label("processors at most")).to_have_value("")
    page.get_by_label("processors at most").fill("400")
    expect(page).to_have_url(f"{address}?load=1.17&k_max=400")
    page.go_back()
    expect(figures).to_contain_text("× 1.5")
    expect(page.get_by_label(LIMIT)).to_have_value("500 ms")
    page.get_by_label("processors at most").fill("450")
    expect(page).to_have_url(f"{address}?load=1.5&k_max=450&t_max=0.5")
    page.goto(f"{address}?load=1.5&k_max=500&t_max=0.5")
    expect(page.get_by_label("processors at most")).to_have_value("500")


@pytest.mark.usefixtures("decided")
def test_a_number_stays_while_it_is_typed(watched: Watched, service: Service, name: str):
    page, address = watched.page, f"{service.url}/ui/#/topologies/{name}/what-if"
    page.goto(address)
    field = page.get_by_label(LIMIT)
    for typed, shown in (("0", "0"), (".", "0."), ("0", "0.0"), ("5", "0.05"), (" s", "0.05 s")):
        field.press_sequentially(typed)
        expect(field).to_have_value(shown)
    expect(page).to_have_url(f"{address}?load=1&t_max=0.05")
    expect(page.locator("[aria-busy=false] .figures")).to_contain_text("50 ms")
    page.get_by_label("processors at most").press_sequentially("40.6")
    field.focus()
    expect(page.get_by_label("processors at most")).to_have_value("41")
    expect(field).to_have_value("50 ms")


@pytest.mark.usefixtures("decided")
def test_a_time_has_its_unit_and_a_text_that_is_none_is_marked_and_changes_nothing(
    watched: Watched, service: Service, name: str
):
    page, address = watched.page, f"{service.url}/ui/#/topologies/{name}/what-if"
    page.goto(address)
    field, figures = page.get_by_label(LIMIT), page.locator(".figures")
    for typed, seconds, shown in (("350", 0.35, "350 ms"), ("0.4 s", 0.4, "400 ms"), ("1.5S", 1.5, "1.5 s")):
        field.fill(typed)
        expect(page).to_have_url(f"{address}?load=1&t_max={seconds}")
        expect(figures).to_contain_text(shown)
    for wrong in ("0", "-1", "5 apples"):
        field.fill(wrong)
        field.blur()
        expect(page.get_by_role("alert")).to_have_text("Write a time above 0, such as 350 ms or 0.35 s.")
        expect(field).to_have_value(wrong)
        expect(page.get_by_text("The numbers below are for what was entered before.")).to_be_visible()
        expect(page).to_have_url(f"{address}?load=1&t_max=1.5")
    field.fill("")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page).to_have_url(f"{address}?load=1")
    page.get_by_label("processors at most").fill("0")
    expect(page.get_by_role("alert")).to_have_text("Write a whole number from 1 on.")


def test_a_limit_of_processors_leaves_the_policys_target_and_a_plan_that_misses_it_says_so(
    client: httpx.Client, watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    page = watched.page
    body = {"load_factor": 1.0, "t_max_seconds": 0.06}
    fewest = client.post(f"/v1/topologies/{name}/what-if", json=body).json()["planned"]["processors_total"]
    page.goto(f"{service.url}/ui/#/topologies/{name}/what-if?load=1&k_max={fewest - 1}")
    expect(page.get_by_label(LIMIT)).to_have_attribute("placeholder", "60 ms by the policy")
    figures = page.locator("[aria-busy=false] .figures")
    expect(figures).to_contain_text("▲ above the target")
    page.get_by_label("processors at most").fill("1")
    expect(figures).to_contain_text(f"{decided['processors']['current_total']} → none")
    expect(figures).to_contain_text("none: see the checks")


def test_the_page_says_why_its_plan_differs_from_the_decision(
    client: httpx.Client, watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    said = client.post(f"/v1/topologies/{name}/what-if").json()
    (why,) = [one["detail"] for one in said["diagnostics"] if one["code"] == "differs-from-decision"]
    watched.page.goto(f"{service.url}/ui/#/topologies/{name}/what-if")
    expect(watched.page.get_by_text(why)).to_be_visible()
    assert f"The decision recommends {decided['processors']['recommended_total']}: " in why
    (waits,) = [one["detail"] for one in said["diagnostics"] if one["code"] == "waits-not-corrected"]
    for stated in ("corrected_sojourn_seconds", "expected_sojourn_seconds"):
        assert write_seconds(decided[stated]) in waits
    watched.page.get_by_label("processors at most").fill("500")
    expect(watched.page.get_by_text(why)).to_have_count(0)


def test_refused_terms_are_asked_for_again_and_the_numbers_before_are_grey_until_then(
    watched: Watched, empty_database_url: str, start_service: StartService
):
    service = start_service(
        database_url=empty_database_url,
        computing_slots="1",
        computing_queue="1",
        database_lock_timeout_seconds="60",
    )
    with httpx.Client(base_url=service.url, timeout=60) as client:
        add(client, "busy")
    page, answer = watched.page, watched.page.locator("[aria-busy]")
    with ThreadPoolExecutor(2) as pool:
        with locked_topologies(empty_database_url):
            begun = perf_counter()
            page.goto(f"{service.url}/ui/#/topologies/busy/what-if?load=0.5")
            wait_until(lambda: count_now(service, "running") == 1, "the page's call runs")
            wait_until(lambda: perf_counter() - begun > LONG_SECONDS, "it counts as long")
        expect(answer).to_have_attribute("aria-busy", "false")
        before = page.locator(".figures").inner_text()
        with locked_topologies(empty_database_url):
            others = []
            for state in ("running", "queued"):
                others.append(pool.submit(post, service, WHAT_IF, {"load_factor": 0.5}))
                wait_until(lambda state=state: count_now(service, state) == 1, f"one is {state}")  # type: ignore[misc]
            page.get_by_label("processors at most").fill("40")
            expect(page.get_by_role("alert")).to_contain_text("It is asked again in")
            expect(answer).to_have_attribute("aria-busy", "true")
            assert page.locator(".figures").inner_text() == before
        assert [one.result().status_code for one in others] == [200, 200]
    expect(answer).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("alert")).to_have_count(0)
    planned = post(service, WHAT_IF, {"load_factor": 0.5, "k_max": 40}).json()["planned"]["processors_total"]
    expect(page.locator(".figures")).to_contain_text(f"→ {planned}")
    watched.complaints.clear()  # the browser itself complains of the answer 503


def test_the_price_of_the_policy_tells_what_another_load_costs(
    client: httpx.Client, watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    runs = decided["processors"]["current_total"]
    figures = read_figures(watched, service, f"{name}/what-if")
    planned = client.post(f"/v1/topologies/{name}/what-if", json={}).json()["planned"]["processors_total"]
    assert (
        figures["processor-hours of 30 days, as it runs → planned"] == f"{720 * runs:,} → {720 * planned:,}"
    )
    prices = {"prices": {"processor_hour": 0.5, "late_minute": 2.0}}
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY | prices).is_success
    decide(client, name)
    assert read_figures(watched, service, f"{name}/what-if?load=2")
    costs = watched.page.locator(".figures div").filter(has_text="cost of 30 days")
    doubled = client.post(f"/v1/topologies/{name}/what-if", json={"load_factor": 2}).json()["planned"]
    then = write_number(360.0 * doubled["processors_total"])
    expect(costs).to_contain_text(f"{write_number(360.0 * runs)} → {then}")


def test_two_scenarios_stand_side_by_side_and_the_forecast_has_a_mark(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    page = watched.page
    page.goto(f"{service.url}/ui/#/topologies/{name}/what-if")
    table = page.locator("section", has=page.get_by_role("heading", name="Side by side")).get_by_role("table")
    page.get_by_role("button", name="Keep these numbers").click()
    expect(table.get_by_role("row").filter(has_text="load")).to_have_text("load× 1× 1")
    ahead = decided["look_ahead"]
    if ahead is not None:
        page.get_by_role("button", name="Try the forecast's highest rate").click()
    else:
        page.get_by_label(re.compile("^load")).fill("0.3")
    expect(table.get_by_role("row").filter(has_text="load")).not_to_have_text("load× 1× 1")
    expect(table.get_by_role("row").filter(has_text="load")).to_contain_text("load× 1")
