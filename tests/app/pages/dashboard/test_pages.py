"""The pages in a real browser: their numbers are the API's, nothing comes from elsewhere, everybody can use them."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from app.pages.dashboard.files import STATIC
from tests.app.browsing import Watched, watch_page
from tests.app.decision_calls import ENOUGH, RATES, observe
from tests.app.load.snapshots.test_routes import snapshot
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service, StartService

HOSTILE = '<img src=x onerror="report(1)">'
POLICY = {"goal": {"t_max_seconds": 0.06}}


@pytest.fixture
def decided(client: httpx.Client, name: str) -> dict[str, Any]:
    """A decision about a topology whose target is missed."""
    add(client, name)
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY).is_success
    return decide(client, name)


def visit(watched: Watched, service: Service, path: str) -> None:
    watched.page.goto(f"{service.url}/ui/#{path}")


def test_the_overview_shows_what_the_api_says_and_leads_to_the_topology(
    watched: Watched, empty_database_url: str, start_service: StartService
):
    service = start_service(database_url=empty_database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        add(client, "calm")
        add(client, "missed")
        assert client.put("/v1/topologies/missed/policy", json=POLICY).is_success
        counts = decide(client, "missed")["processors"]
    visit(watched, service, "/")
    page = watched.page
    expect(page.get_by_role("heading", level=1)).to_have_text("Which topology needs me?")
    first = page.get_by_role("row").nth(1)
    expect(first).to_contain_text("missed")
    expect(first).to_contain_text(f"{counts['current_total']} → {counts['recommended_total']}")
    page.get_by_role("link", name="missed").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("missed")
    assert {urlsplit(address).netloc for address in watched.asked} == {urlsplit(service.url).netloc}


def test_the_page_of_a_topology_says_the_decision_its_reasons_and_its_patch(
    client: httpx.Client, watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    visit(watched, service, f"/topologies/{name}")
    page = watched.page
    stored = client.get(f"/v1/decisions/{decided['id']}").json()
    expect(page.locator(".verdict")).to_contain_text(stored["verdict"])
    expect(page.get_by_text(decided["reasons"][0]["detail"])).to_be_visible()
    expect(page.get_by_text(decided["sized_for"]["detail"])).to_be_visible()
    operators = page.locator("section", has=page.get_by_role("heading", name="Operators"))
    for one in decided["current"]["operators"]:
        row = operators.get_by_role("row").filter(has_text=one["name"])
        expect(row).to_contain_text(f"{round(100 * one['utilisation'])}%")
    expect(page.locator(".graph .box")).to_have_count(3)
    for format_name in ("json", "kubernetes"):
        page.get_by_label("Format").select_option(format_name)
        said = client.get(f"/v1/decisions/{decided['id']}/patch?format={format_name}").json()
        text = said["command"] or json.dumps(said["body"], indent=2, ensure_ascii=False)
        expect(page.locator("pre.patch")).to_have_text(text)
    expect(page.get_by_text(decided["counterfactuals"]["one_fewer_detail"])).to_be_visible()
    page.get_by_label("Format").select_option("keda")
    expect(page.locator("li code")).to_have_text("kubectl apply -f -")
    page.get_by_role("button", name="E[T]", exact=True).first.click()
    expect(page.get_by_text("E[T] is the mean total time").first).to_be_visible()
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 400, "height": 900})
    expect(page.locator(".chart svg").first).to_have_attribute("viewBox", re.compile("^0 0 3[0-9]{2} "))
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.get_by_role("link", name="Report of the newest decision").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def test_a_graph_can_be_walked_by_keyboard(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    visit(watched, service, f"/topologies/{name}")
    page = watched.page
    first = page.get_by_role("button", name=re.compile("^generator:"))
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name=re.compile("^detector:"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("tr.picked")).to_contain_text("detector")
    page.keyboard.press("ArrowLeft")
    expect(first).to_be_focused()
    assert decided["action"] == "scale_up"


def test_a_chart_reads_its_values_to_the_keyboard_and_has_a_table(
    client: httpx.Client, watched: Watched, service: Service, measured: str
):
    visit(watched, service, f"/topologies/{measured}")
    page = watched.page
    chart = page.locator("figure").filter(has_text="External rate")
    chart.get_by_role("img").focus()
    page.keyboard.press("End")
    last = client.get(f"/v1/topologies/{measured}/series?points=288").json()["points"][-1]
    expect(chart.locator(".readout")).to_contain_text(f"mean rate {round(last['external_rate'])}/s")
    chart.get_by_text("As a table").click()
    expect(chart.get_by_role("row").last).to_contain_text(f"{round(last['external_rate'])}/s")


def test_charts_say_what_a_row_stands_for_and_where_an_operator_cannot_keep_up(
    client: httpx.Client, watched: Watched, service: Service, known: str
):
    observe(client, known, 1, 9000.0, ENOUGH)
    visit(watched, service, f"/topologies/{known}")
    page = watched.page
    page.get_by_text("What each point is").click()
    said = page.get_by_text("Each point stands for 60 s, and its time is their beginning.")
    expect(said).to_contain_text("E[T] measured: the mean over the tuples of these 60 s.")
    expect(said).to_contain_text("for their last snapshot alone")
    chart = page.locator("figure").filter(has_text="E[T]")
    chart.get_by_text("As a table").click()
    expect(chart.get_by_role("row").last).to_contain_text("–cannot keep up")
    expect(page.locator(".tall tbody tr").first).to_contain_text("unboundedunbounded")


def test_what_if_answers_as_the_api_does_keeps_its_terms_in_the_address_and_stores_nothing(
    client: httpx.Client, watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    visit(watched, service, f"/topologies/{name}/what-if?load=1.5")
    page = watched.page
    said = client.post(f"/v1/topologies/{name}/what-if", json={"load_factor": 1.5}).json()
    planned = said["planned"]["processors_total"]
    expect(page.locator(".figures")).to_contain_text(f"{said['current']['processors_total']} → {planned}")
    page.get_by_label("E[T] at most, in ms").fill("0.5 s")
    looser = client.post(
        f"/v1/topologies/{name}/what-if", json={"load_factor": 1.5, "t_max_seconds": 0.5}
    ).json()
    expect(page.locator(".figures")).to_contain_text(f"→ {looser['planned']['processors_total']}")
    assert "t_max=0.5" in page.url
    page.get_by_label(re.compile("^load")).press("ArrowRight")
    expect(page).to_have_url(re.compile(r"load=1\.5[1-9]"))
    assert client.get(f"/v1/topologies/{name}/plans").json()["items"] == []
    assert len(client.get(f"/v1/topologies/{name}/decisions").json()["items"]) == 1
    assert decided["processors"]["current_total"] == sum(ENOUGH.values())


def test_the_decisions_show_what_was_promised_and_what_came(
    client: httpx.Client, watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    outcome = {"state": "applied", "measured_seconds": 0.055}
    assert client.put(f"/v1/decisions/{decided['id']}/outcome", json=outcome).status_code == 200
    visit(watched, service, f"/topologies/{name}/decisions")
    row = watched.page.get_by_role("row").filter(has_text="more")
    expect(row).to_contain_text("55 ms")
    expect(row).to_contain_text("✓ kept")
    watched.page.get_by_label("action").select_option("hold")
    expect(watched.page.get_by_text("No decision is like that.")).to_be_visible()


def test_a_name_that_looks_like_markup_stays_text(client: httpx.Client, watched: Watched, service: Service):
    name = f"t {HOSTILE[1:-1]}".replace("/", "")
    topology = {"name": name, "operators": [{"name": HOSTILE}]}
    assert client.post("/v1/topologies", json=topology).status_code == 201
    visit(watched, service, f"/topologies/{quote(name, safe='')}")
    expect(watched.page.get_by_role("heading", level=1)).to_have_text(name)
    expect(
        watched.page.get_by_role("cell", name=HOSTILE).or_(watched.page.get_by_role("rowheader"))
    ).to_have_text(HOSTILE)


def test_an_empty_service_says_what_to_do_first(
    watched: Watched, empty_database_url: str, start_service: StartService
):
    service = start_service(database_url=empty_database_url)
    visit(watched, service, "/")
    expect(watched.page.get_by_text("headgate demo")).to_be_visible()


def test_who_may_only_look_sees_no_button_that_stores(
    browser: Browser, empty_database_url: str, start_service: StartService
):
    service = start_service(
        database_url=empty_database_url, api_keys="all-of-it-and-more, look-only-and-read:read"
    )
    with httpx.Client(base_url=service.url, headers={"Authorization": "Bearer all-of-it-and-more"}) as owner:
        assert (
            owner.post("/v1/topologies", json={"name": "t", "operators": [{"name": "a"}]}).status_code == 201
        )
        sent = [snapshot(minute, operators={"a": {"service_rate": 500.0}}) for minute in range(31)]
        assert owner.post("/v1/topologies/t/snapshots", json=sent).status_code == 201
    with watch_page(browser) as watched:
        page = watched.page
        visit(watched, service, "/topologies/t")
        page.get_by_label("API key").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("API key").fill("look-only-and-read")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("may look, and may not store")).to_be_visible()
        expect(page.get_by_text("Nothing is decided yet")).to_be_visible()
        expect(page.get_by_role("button", name="Decide now")).to_have_count(0)
        visit(watched, service, "/topologies/t/forecast")
        expect(page.get_by_text("None is stored yet")).to_be_visible()
        expect(page.get_by_role("button", name="Run a backtest")).to_have_count(0)
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_every_page(
    browser: Browser, service: Service, decided: dict[str, Any], name: str, scheme: str
):
    with watch_page(
        browser, color_scheme=scheme, bypass_csp=True, viewport={"width": 390, "height": 800}
    ) as watched:
        for path in (
            "/",
            f"/topologies/{name}",
            f"/topologies/{name}/what-if",
            f"/topologies/{name}/decisions",
            f"/topologies/{name}/forecast",
        ):
            visit(watched, service, path)
            watched.page.reload()
            expect(watched.page.get_by_role("heading", level=1)).to_be_visible()
            expect(watched.page.get_by_text("Loads.")).to_have_count(0)
            found = Axe().run(watched.page)
            assert found.violations_count == 0, found.generate_report()
    assert decided["id"]
    assert Path(STATIC / "index.html").exists()
    assert set(RATES) == set(decided["processors"]["current"])


def test_the_list_can_be_cut_down_by_name_and_by_status(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    for last in "ab":
        assert (
            client.post(
                "/v1/topologies", json={"name": name + last, "operators": [{"name": "o"}]}
            ).status_code
            == 201
        )
    visit(watched, service, "/")
    page = watched.page
    page.get_by_label("name contains").fill(f"{name.upper()}B ")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text(f"{name}b")
    page.get_by_label("name contains").fill(name)
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("button", name="no measurements: 2").click()
    expect(page.get_by_role("button", name="no measurements: 2")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("name contains").fill(f"{name}-nobody")
    expect(page.get_by_text("No topology is like that.")).to_be_visible()


def test_a_first_decision_takes_a_target_and_a_press_of_a_button(
    client: httpx.Client, watched: Watched, service: Service, name: str
):
    add(client, name)
    visit(watched, service, f"/topologies/{name}")
    page = watched.page
    expect(page.get_by_text("The topology has no policy")).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("%")
    page.get_by_label("E[T] at most, in ms").fill("200")
    page.get_by_role("button", name="Store this target").click()
    expect(page.locator(".verdict")).to_be_visible()
    stored = client.get(f"/v1/topologies/{name}/policy").json()
    assert stored["goal"]["t_max_seconds"] == 0.2


def test_an_unknown_topology_is_said_once(watched: Watched, service: Service):
    visit(watched, service, "/topologies/nobody-knows-it")
    expect(watched.page.get_by_role("alert")).to_have_count(1)
    expect(watched.page.get_by_role("link", name="All topologies")).to_be_visible()
    watched.complaints.clear()  # the browser itself complains of the answer 404


def test_operators_are_sorted_by_any_column_and_a_row_leads_to_its_place_in_the_graph(
    watched: Watched, service: Service, decided: dict[str, Any], name: str
):
    visit(watched, service, f"/topologies/{name}")
    rows = watched.page.get_by_role("rowheader")
    busy = sorted(decided["current"]["operators"], key=lambda one: -one["utilisation"])
    expect(rows).to_have_text([one["name"] for one in busy])
    watched.page.get_by_role("button", name="operator", exact=True).click()
    watched.page.get_by_role("button", name=re.compile("^operator")).click()
    expect(rows).to_have_text(sorted(one["name"] for one in busy))
    watched.page.get_by_role("button", name="reporter", exact=True).click()
    expect(watched.page.locator(".graph .middle")).to_contain_text("reporter")
