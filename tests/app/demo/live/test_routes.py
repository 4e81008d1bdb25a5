"""/v1/demo/live, and the slider that loads the live demo."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.app.browsing import open_browser, watch_page
from tests.app.processes import Service, StartService

ADDRESS = "/v1/demo/live"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


def test_a_service_without_the_setting_runs_none(empty_database_url: str, start_service: StartService):
    service = start_service(database_url=empty_database_url)
    assert httpx.get(service.url + ADDRESS).json() == {
        "minutes": 0,
        "topology": None,
        "is_running": False,
        "load_factor": None,
        "runs_until": None,
    }
    for refused in (
        httpx.post(service.url + ADDRESS),
        httpx.put(service.url + ADDRESS, json={"load_factor": 2}),
    ):
        assert (refused.status_code, refused.json()["type"]) == (409, "demo-off")
        assert "HEADGATE_DEMO_MINUTES" in refused.json()["detail"]


@pytest.fixture
def living(empty_database_url: str, start_service: StartService) -> Service:
    service = start_service(database_url=empty_database_url, demo_minutes="5")
    unknown = httpx.put(service.url + ADDRESS, json={"load_factor": 2})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "unknown-topology")
    return service


def test_a_person_loads_the_live_demo(living: Service, browser: Browser):
    with watch_page(browser) as watched:
        page = watched.page
        page.goto(f"{living.url}/ui/")
        with page.expect_response(
            lambda got: got.url.endswith(ADDRESS) and got.request.method == "POST"
        ) as started:
            page.get_by_role("button", name="Load the demo").click()
        assert started.value.status == 201
        expect(page.get_by_role("heading", level=1)).to_have_text("demo-live")
        expect(page.get_by_text("times that of its day")).to_have_text("1.0 times that of its day")
        with page.expect_response(lambda got: got.request.method == "PUT") as loaded:
            page.get_by_role("button", name="Double the load").click()
        assert loaded.value.json()["load_factor"] == 2.0
        expect(page.get_by_text("times that of its day")).to_have_text("2.0 times that of its day")
        assert watched.complaints == []
    state = httpx.get(living.url + ADDRESS).json()
    assert (state["load_factor"], state["is_running"]) == (2.0, True)
