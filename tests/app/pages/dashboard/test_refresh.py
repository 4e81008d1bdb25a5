"""Pages ask again every 15 s while they are seen, and are sent only what has changed."""

from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Browser, Page, Request, expect

from tests.app.browsing import watch_page
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service

HIDE = """hidden => {
    Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def list_statuses(page: Page, requests: list[Request], milliseconds: int) -> dict[str, int]:
    """What is asked while so much time passes by the page's clock: the status of each path."""
    requests.clear()
    page.clock.run_for(milliseconds)
    page.evaluate("fetch('/healthz')")  # what was asked before has been seen, too
    found = {}
    for one in [one for one in requests if "/v1/" in one.url]:
        answer = one.response()
        assert answer is not None
        found[urlsplit(one.url).path] = answer.status
    return found


def test_a_page_asks_again_for_what_has_changed_and_not_while_it_is_hidden(
    service: Service, browser: Browser, name: str, client: httpx.Client
):
    add(client, name)
    of_topology = f"/v1/topologies/{name}"
    client.put(f"{of_topology}/policy", json={"goal": {"t_max_seconds": 0.06}}).raise_for_status()
    decide(client, name)
    with watch_page(browser) as watched:
        page, requests = watched.page, list[Request]()
        page.on("request", lambda one: requests.append(one))  # noqa: PLW0108 - playwright marks the function
        page.clock.install()
        page.goto(f"{service.url}/ui/#/topologies/{name}")
        expect(page.locator(".verdict")).to_be_visible()
        expect(page.locator(".patch")).to_be_visible()
        expect(page.locator(".chart").first).to_be_visible()
        page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1.0)
        assert list_statuses(page, requests, 5_000) == {}
        asked = list_statuses(page, requests, 10_000)
        assert {of_topology, f"{of_topology}/series", f"{of_topology}/decisions"} <= set(asked)
        assert set(asked.values()) == {304}
        page.evaluate(HIDE, True)  # noqa: FBT003 - a value
        list_statuses(page, requests, 15_000)
        assert list_statuses(page, requests, 60_000) == {}
        changed = {"name": name, "operators": [{"name": "only"}]}
        assert client.put(of_topology, json=changed).status_code == 200
        page.evaluate(HIDE, False)  # noqa: FBT003 - a value
        expect(page.get_by_role("button", name="only", exact=True)).to_be_visible()
        assert watched.complaints == []


WATCH = """() => {
    window.gone = 0;
    const look = () => { if (!document.querySelector('.verdict') || !document.querySelector('pre.patch')) gone += 1; };
    new MutationObserver(look).observe(document.querySelector('main'), {childList: true, subtree: true});
}"""


def test_nothing_blinks_while_a_newer_decision_is_on_its_way(
    service: Service, browser: Browser, name: str, client: httpx.Client
):
    add(client, name, minutes_ago=2.0)
    of_topology = f"/v1/topologies/{name}"
    client.put(f"{of_topology}/policy", json={"goal": {"t_max_seconds": 0.06}}).raise_for_status()
    decide(client, name)
    with watch_page(browser) as watched:
        page = watched.page
        page.goto(f"{service.url}/ui/#/topologies/{name}")
        expect(page.locator("pre.patch")).to_be_visible()
        page.evaluate(WATCH)
        client.put(f"{of_topology}/policy", json={"goal": {"t_max_seconds": 0.2}}).raise_for_status()
        verdict = decide(client, name)["verdict"]
        expect(page.locator(".verdict")).to_contain_text(verdict[:30])
        assert page.evaluate("gone") == 0


def test_a_page_asks_as_often_as_snapshots_come(
    service: Service, browser: Browser, name: str, client: httpx.Client
):
    add(client, name, minutes_ago=0.5, window_seconds=5.0)
    policy = {"goal": {"t_max_seconds": 0.06}, "smoothing": {"kind": "window", "size": 1}}
    client.put(f"/v1/topologies/{name}/policy", json=policy).raise_for_status()
    decide(client, name)
    with watch_page(browser) as watched:
        page, requests = watched.page, list[Request]()
        page.on("request", lambda one: requests.append(one))  # noqa: PLW0108 - playwright marks the function
        page.clock.install()
        page.goto(f"{service.url}/ui/#/topologies/{name}")
        expect(page.locator(".chart").first).to_be_visible()
        page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1.0)
        for one in requests:
            one.response()  # what is on its way sets a timer when it comes
        path = f"/v1/topologies/{name}/decisions"
        asked = [path in list_statuses(page, requests, 1_000) for _ in range(14)]
        assert sum(asked) >= 2, asked  # once at most if it asked every 15 s
