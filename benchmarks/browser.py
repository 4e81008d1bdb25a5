"""The pages in a real Chromium beside their budgets: first content, slider to plan, longest task, bytes.

Times on the clock need a quiet machine. Processor times of tasks do not: they are the renderer's own thread time.
"""

import gzip
import itertools
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, Response

from app.database.embedded.embedded_postgres import shared_postgres
from tests.app.browsing import open_browser
from tests.app.processes import start

SIZES = (20, 200, 1000)
RUNS, MOVES, PAUSE_MILLISECONDS, VISITS, VISIT_MILLISECONDS = 7, 40, 30, 3, 5500
# A click by playwright brings scripts of its own into the page; these come with it.
USE = {
    "topology": "setTimeout(() => document.querySelectorAll('tbody button.plain')[5].click(), 3500)",
    "what-if": """setTimeout(() => {
        const slider = document.querySelector('input[type=range]');
        slider.value = 0.1;
        slider.dispatchEvent(new Event('input', {bubbles: true}));
    }, 3500)""",
}
FIRST_CONTENT, SLIDER, LONG_TASK, LARGE, BYTES = 0.5, 0.1, 0.05, 1.0, 110_000
"""The budgets: seconds of the clock, of one task, of 1,000 operators; gzipped bytes of a page's own files."""
TRACED = ["devtools.timeline", "toplevel", "disabled-by-default-devtools.timeline"]
READY = {
    "overview": "table tbody tr",
    "topology": ".graph .box",
    "what-if": ".figures dd",
    "decisions": ".wide tbody tr",
    "forecast": "h2",
}


def main() -> None:
    """Prints each figure beside its budget."""
    with (
        tempfile.TemporaryDirectory() as folder,
        shared_postgres(Path(folder)) as url,
        serve(url) as address,
        open_browser() as browser,
    ):
        for size in SIZES:
            fill(address, size)
        measure_first_content(browser, address)
        measure_bytes(browser, address)
        measure_slider(browser, address)
        for name, size in itertools.product(USE, SIZES):
            measure_tasks(browser, address, name, size)
        measure_large(browser, address)


@contextmanager
def serve(url: str) -> Iterator[str]:
    """The address of a service on this database."""
    service = start([], database_url=url)
    yield service.url
    service.stop()


def fill(address: str, size: int) -> None:
    """A layered topology of so many operators with an hour of snapshots, a target and a decision."""
    draw, name = random.Random(size), f"t{size}"
    operators = [f"operator-{i}" for i in range(size)]
    edges = [(operators[max(0, i - draw.randint(1, 4))], operators[i]) for i in range(1, size)]
    body = {
        "name": name,
        "operators": [{"name": one} for one in operators],
        "edges": [{"source": a, "target": b, "selectivity": 0.7} for a, b in edges],
    }
    now = datetime.now(UTC).replace(microsecond=0)
    loads = {one: {"service_rate": draw.uniform(30.0, 60.0), "processors": 6} for one in operators}
    snapshots = [
        {
            "observed_at": (now - timedelta(minutes=i)).isoformat(),
            "external_rate": draw.uniform(95.0, 105.0),
            "operators": loads,
        }
        for i in range(30, 0, -1)
    ]
    with httpx.Client(base_url=address, timeout=300) as client:
        client.post("/v1/topologies", json=body).raise_for_status()
        client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).raise_for_status()
        goal = {"goal": {"t_max_seconds": 3.0}}
        client.put(f"/v1/topologies/{name}/policy", json=goal).raise_for_status()
        client.post(f"/v1/topologies/{name}/decisions").raise_for_status()


@contextmanager
def open_page(browser: Browser) -> Iterator[Page]:
    """A page of a browser with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def name_address(address: str, page: str, size: int = 20) -> str:
    if page == "overview":
        return f"{address}/ui/#/"
    return f"{address}/ui/#/topologies/t{size}" + ("" if page == "topology" else f"/{page}")


def measure_first_content(browser: Browser, address: str) -> None:
    """The time until a browser with an empty cache shows something, and until it shows numbers."""
    for name, selector in READY.items():
        first, ready = [], []
        for _ in range(RUNS):
            with open_page(browser) as page:
                begun = time.perf_counter()
                page.goto(name_address(address, name))
                page.wait_for_selector(selector, state="attached")
                ready.append(time.perf_counter() - begun)
                painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
                first.append(painted / 1e3)
        tell(f"{name}: first content", statistics.median(first), FIRST_CONTENT)
        tell(f"{name}: numbers", statistics.median(ready), FIRST_CONTENT)


def measure_bytes(browser: Browser, address: str) -> None:
    """The gzipped bytes of the files of each page, and of the API's answers that it loads."""
    for name, selector in READY.items():
        with open_page(browser) as page:
            answers = keep_answers(page)
            page.goto(name_address(address, name))
            page.wait_for_selector(selector, state="attached")
            page.wait_for_load_state("networkidle")
            sizes = {one.url: len(gzip.compress(one.body())) for one in answers}
        files = sum(size for url, size in sizes.items() if "/ui/" in url)
        print(
            f"{name + ': files':38} {files / 1e3:8.1f} kB gzipped   budget {BYTES / 1e3:.0f} kB   "
            f"{files / BYTES:5.2f} times   (and {(sum(sizes.values()) - files) / 1e3:.1f} kB of answers)"
        )


def keep_answers(page: Page) -> list[Response]:
    """A list of the answers that the page has received; it grows while the page loads."""
    answers: list[Response] = []
    page.on("response", lambda one: answers.append(one))  # noqa: PLW0108 - playwright marks the function
    return answers


def measure_slider(browser: Browser, address: str) -> None:
    """The time from a move of the slider to the plan on the page, beside the call alone; then a drag without pauses."""
    with open_page(browser) as page:
        page.goto(name_address(address, "what-if"))
        page.wait_for_selector(".figures dd")
        loads = [0.5 + 0.05 * i for i in range(MOVES)]
        times = [page.evaluate(MOVE, load) / 1e3 for load in loads]
        with httpx.Client(base_url=address) as client:
            calls = [time_call(client, load + 0.003) for load in loads]  # not those that were just computed
        tell("slider to plan, 20 operators, p95", percentile_95(times), SLIDER)
        ratio = statistics.median(times) / statistics.median(calls)
        print(
            f"{'  median':38} {statistics.median(times):8.3f} s   the call alone {statistics.median(calls):.3f} s   "
            f"{ratio:5.2f} times"
        )
        aborted: list[str] = []
        page.on("requestfailed", lambda request: aborted.append(request.url))
        for load in loads[:-1]:
            page.evaluate(SET, load)
            page.wait_for_timeout(PAUSE_MILLISECONDS)
        last = page.evaluate(MOVE, loads[-1] + 0.01) / 1e3
        tell(f"  last move of a drag ({len(aborted)} of {MOVES} aborted)", last, SLIDER)


SET = """load => {
    const slider = document.querySelector('input[type=range]');
    slider.value = Math.log10(load);
    slider.dispatchEvent(new Event('input', {bubbles: true}));
}"""
# The answer is there when the rate among the figures is another than before; a frame later it is painted.
MOVE = (
    """async load => {
    const set = """
    + SET
    + """;
    const before = document.querySelector('.figures dd').textContent;
    const begun = performance.now();
    set(load);
    await new Promise(done => {
        const look = () => document.querySelector('.figures dd').textContent === before
            ? requestAnimationFrame(look) : requestAnimationFrame(done);
        requestAnimationFrame(look);
    });
    return performance.now() - begun;
}"""
)


def time_call(client: httpx.Client, load: float) -> float:
    begun = time.perf_counter()
    client.post("/v1/topologies/t20/what-if", json={"load_factor": round(load, 3)}).raise_for_status()
    return time.perf_counter() - begun


def measure_tasks(browser: Browser, address: str, name: str, size: int) -> None:
    """The longest tasks of the main thread while a page loads and is used once; the median of some visits."""
    longest = []
    for _ in range(VISITS):
        with open_page(browser) as page:
            page.add_init_script(USE[name])
            browser.start_tracing(page=page, categories=TRACED)
            page.goto(name_address(address, name, size))
            page.wait_for_timeout(VISIT_MILLISECONDS)
            tasks = find_tasks(json.loads(browser.stop_tracing()), address)
            longest.append([max(one[place] for one in tasks) for place in (0, 1)])
    processor, clock = (statistics.median(one) for one in zip(*longest, strict=True))
    tell(f"{name}, {size} operators: longest task", processor, LONG_TASK)
    tell("  on the clock", clock, LONG_TASK)


def find_tasks(trace: dict[str, Any], address: str) -> list[tuple[float, float]]:
    """The processor time and the clock time of the tasks of the main thread of our page, in seconds.

    The browser has pages of its own, in other processes.
    """
    events = trace["traceEvents"]
    ours = {
        one["pid"]
        for one in events
        if one["name"] == "ParseHTML" and one["args"].get("beginData", {}).get("url", "").startswith(address)
    }
    mains = {
        (one["pid"], one["tid"])
        for one in events
        if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain" and one["pid"] in ours
    }
    return [
        (one.get("tdur", 0) / 1e6, one["dur"] / 1e6)
        for one in events
        if one["name"] == "RunTask" and "dur" in one and (one["pid"], one["tid"]) in mains
    ]


def measure_large(browser: Browser, address: str) -> None:
    """Prints the time until the page of 1,000 operators shows its table and the graph around one of them."""
    times = []
    for _ in range(3):
        with open_page(browser) as page:
            begun = time.perf_counter()
            page.goto(name_address(address, "topology", 1000))
            page.wait_for_selector(".graph .box", timeout=60_000)
            page.wait_for_selector("tbody button.plain")
            times.append(time.perf_counter() - begun)
            rows = page.locator("tbody tr:has(button.plain)").count()
            boxes = page.locator(".graph .box").count()
    tell(f"1,000 operators ({rows} rows, {boxes} boxes)", statistics.median(times), LARGE)


def percentile_95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def tell(what: str, seconds: float, budget: float) -> None:
    print(
        f"{what:38} {seconds:8.3f} s   budget {budget:.2f} s   {seconds / budget:5.2f} times"
        + ("" if seconds <= budget else "   over")
    )
