"""/v1/demo, and the buttons that load and delete the demo on the pages."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.app.browsing import open_browser, watch_page
from tests.app.processes import Service, StartService

ADDRESS = "/v1/topologies/demo"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def empty(empty_database_url: str, start_service: StartService) -> Service:
    return start_service(database_url=empty_database_url)


def test_a_person_loads_the_demo_and_deletes_it(empty: Service, browser: Browser):
    with watch_page(browser) as watched:
        page = watched.page
        page.goto(f"{empty.url}/ui/")
        button = page.get_by_role("button", name="Load the demo")
        with page.expect_response("**/v1/demo") as answered:
            button.click()
            expect(button).to_have_attribute("aria-disabled", "true")
            expect(page.locator("[aria-live]", has_text="some seconds")).to_be_visible()
        answer = answered.value
        assert (answer.status, answer.headers["location"]) == (201, ADDRESS)
        assert answer.json() == {"topology": "demo", "snapshots": 1390, "decisions": 47}
        expect(page.get_by_role("heading", level=1)).to_have_text("demo")
        expect(page.locator(".verdict")).to_contain_text("processors")
        with page.expect_request(lambda sent: sent.method == "DELETE") as deleting:
            page.get_by_role("button", name="Delete the demo").click()
        assert re.fullmatch(r'"\d+-1"', deleting.value.headers["if-match"])
        expect(page.get_by_role("heading", name="Nothing is stored yet")).to_be_visible()
        assert httpx.get(empty.url + ADDRESS).status_code == 404
        assert watched.complaints == []


def test_a_topology_of_that_name_that_is_no_demo_is_kept(empty: Service):
    theirs = {"name": "demo", "operators": [{"name": "a"}], "source": "demo"}
    stored = httpx.post(f"{empty.url}/v1/topologies", json=theirs).json()
    assert stored["source"] == "posted"
    refused = httpx.post(f"{empty.url}/v1/demo")
    assert (refused.status_code, refused.json()["type"]) == (409, "topology-exists")
    assert "DELETE it if you do not need it" in refused.json()["detail"]
    assert httpx.get(empty.url + ADDRESS).json() == stored


def test_a_key_that_only_reads_sees_no_button_and_may_not_load(
    empty_database_url: str, start_service: StartService, browser: Browser
):
    service = start_service(database_url=empty_database_url, api_keys="look-only-and-read:read")
    headers = {"Authorization": "Bearer look-only-and-read"}
    assert httpx.post(f"{service.url}/v1/demo", headers=headers).status_code == 403
    with watch_page(browser) as watched:
        page = watched.page
        page.goto(f"{service.url}/ui/")
        page.get_by_label("API key").fill("look-only-and-read")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Nothing is stored yet")).to_be_visible()
        expect(page.get_by_text("headgate demo")).to_be_visible()
        expect(page.get_by_role("button", name="Load the demo")).to_have_count(0)
