"""Calls that answer with pictures: PNG, SVG or JSON by `Accept`, with the numbers of the JSON in the picture."""

from itertools import pairwise
from typing import Any
from uuid import uuid4

import httpx
import pytest

from app.load.bodies.topology import FPD
from app.rendering.png_writing import MOST_BYTES
from planner.wording import write_percent, write_rate, write_seconds
from tests.app.decision_calls import ENOUGH, RATES, TARGET, at, decide, observe, put_policy
from tests.app.rendering.pictures_to_draw import HOSTILE
from tests.app.rendering.test_charts_answered import draw, read_words, size_of_png

FORMS = ("application/json", "image/png", "image/svg+xml")
OF_TOPOLOGY = ("", "/series", "/past-forecasts", "/decisions/latest")


@pytest.fixture(scope="module")
def decided(client: httpx.Client) -> dict[str, Any]:
    """The newest decision about a topology, which wants more; the one before was a trial."""
    name = store_calm(client, 41)
    decide(client, name, 40)
    observe(client, name, 42, 480.0, ENOUGH)
    return decide(client, name, 42)


def store_calm(client: httpx.Client, minutes: int) -> str:
    """The name of a topology with so many calm minutes."""
    name = f"drawn-{uuid4().hex[:12]}"
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    put_policy(client, name, TARGET)
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    said = {"measured_sojourn_seconds": 0.07, "operators": operators}
    calm = [
        {"observed_at": at(minute), "external_rate": 320.0 + minute % 7} | said for minute in range(minutes)
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=calm).status_code == 201
    return name


def name_of(decision: dict[str, Any]) -> str:
    found: str = decision["basis"]["topology"]
    return found


@pytest.mark.parametrize("part", OF_TOPOLOGY)
def test_png_svg_and_json_are_answered_as_accepted(client: httpx.Client, decided: dict[str, Any], part: str):
    address = f"/v1/topologies/{name_of(decided)}{part}"
    png = draw(client, address, "image/png")
    assert size_of_png(png)[0] >= 640
    assert len(png) <= MOST_BYTES
    assert name_of(decided) in read_words(draw(client, address, "image/svg+xml"))
    plain = client.get(address)
    assert plain.headers["Content-Type"] == "application/json"
    assert plain.headers["Vary"] == "Accept"
    refused = client.get(address, headers={"Accept": "text/html"})
    assert (refused.status_code, refused.json()["type"]) == (406, "not-acceptable")


def test_a_decision_is_drawn_with_its_verdict_and_numbers(client: httpx.Client, decided: dict[str, Any]):
    words = read_words(draw(client, f"/v1/decisions/{decided['id']}", "image/svg+xml"))
    counts = decided["processors"]
    assert f"{name_of(decided)}: Run {counts['recommended_total']} processors instead of" in words
    for one in decided["current"]["operators"]:
        now, then = counts["current"][one["name"]], counts["recommended"][one["name"]]
        assert f"{write_percent(one['utilisation'])} busy · {write_rate(one['arrival_rate'])}" in words
        assert (f"{now} → {then}" if now != then else str(now)) in words
    assert f"E[T] would be {write_seconds(decided['expected_sojourn_seconds'])}" in words
    assert "cannot keep up" in words


def test_a_decision_is_drawn_on_the_revision_that_it_is_about(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    observe(client, known, 1, 320.0, ENOUGH)
    decision = decide(client, known, 1)
    changed = {"name": known, "operators": [{"name": "other"}]}
    assert client.put(f"/v1/topologies/{known}", json=changed).status_code == 200
    assert "detector" in read_words(draw(client, f"/v1/decisions/{decision['id']}", "image/svg+xml"))
    assert "detector" not in read_words(draw(client, f"/v1/topologies/{known}", "image/svg+xml"))


def test_the_frontier_is_drawn_with_what_runs_and_what_is_planned(
    client: httpx.Client, decided: dict[str, Any]
):
    address = f"/v1/topologies/{name_of(decided)}/what-if"
    answers = {form: client.post(address, json={}, headers={"Accept": form}) for form in FORMS}
    assert [one.headers["Content-Type"] for one in answers.values()] == list(FORMS)
    found = answers["application/json"].json()
    words = read_words(answers["image/svg+xml"].content)
    planned = found["planned"]
    assert f"{sum(ENOUGH.values())} run: cannot keep up" in words
    time = write_seconds(planned["expected_sojourn_seconds"])
    assert f"{planned['processors_total']} planned: {time}" in words
    svg = answers["image/svg+xml"].text
    for one in found["frontier"]:
        said = f"{one['processors_total']}: {write_seconds(one['expected_sojourn_seconds'])}, "
        assert said + (one["operator"] or "the fewest that keep up") in svg


def test_a_series_says_its_newest_values_and_marks_the_change(client: httpx.Client, decided: dict[str, Any]):
    address = f"/v1/topologies/{name_of(decided)}/series"
    svg = draw(client, address, "image/svg+xml", **{"from": at(0)}).decode()
    newest = client.get(address, params={"from": at(0)}).json()["points"][-1]
    assert f"rate {write_rate(newest['external_rate'])}, E[T] – measured and – estimated" in svg
    assert "an operator cannot keep up" in svg
    assert f"scale_up, {decided['processors']['recommended_total']} processors" in svg


def test_past_forecasts_say_what_was_covered(client: httpx.Client):
    name = store_calm(client, 40)
    decide(client, name, 40)
    observe(client, name, 41, 480.0, ENOUGH)
    words = read_words(draw(client, f"/v1/topologies/{name}/past-forecasts", "image/svg+xml"))
    assert "No earlier forecast can be judged yet: for none of them is the whole time measured." in words
    assert "✕ a higher rate came than was covered" in words


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("/series", "Nothing was measured or decided"),
        ("/past-forecasts", "No decision has made a forecast yet."),
        ("", "stateful"),
    ],
)
def test_an_unmeasured_topology_has_pictures_that_say_so(
    client: httpx.Client, known: str, part: str, said: str
):
    address = f"/v1/topologies/{known}{part}"
    assert said in read_words(client.get(address, headers={"Accept": "image/svg+xml"}).content)
    assert client.get(address, headers={"Accept": "image/png"}).content.startswith(b"\x89PNG")


def test_each_form_of_a_topology_has_an_etag_of_its_own(client: httpx.Client, known: str):
    address = f"/v1/topologies/{known}"
    tags = {form: client.get(address, headers={"Accept": form}).headers["ETag"] for form in FORMS}
    assert len(set(tags.values())) == len(FORMS)
    for form, tag in tags.items():
        for other in FORMS:
            status = client.get(address, headers={"Accept": other, "If-None-Match": tag}).status_code
            assert status == (304 if form == other else 200)


def test_names_stay_text(client: httpx.Client, name: str):
    names = [one for one in HOSTILE if one.isprintable()]
    body = {
        "name": f"{name} <script>$x$",
        "operators": [{"name": one} for one in names],
        "edges": [{"source": one, "target": other} for one, other in pairwise(names)],
    }
    location = client.post("/v1/topologies", json=body).headers["Location"]
    drawn = draw(client, location, "image/svg+xml")
    assert b"<script" not in drawn
    assert "<script>$x$" in read_words(drawn)
    assert draw(client, location, "image/png")


def test_pictures_are_documented(client: httpx.Client):
    paths = client.get("/openapi.json").json()["paths"]
    drawn = [(f"/v1/topologies/{{name}}{part}", "get") for part in OF_TOPOLOGY]
    for path, method in [
        *drawn,
        ("/v1/topologies/{name}/what-if", "post"),
        ("/v1/decisions/{decision_id}", "get"),
    ]:
        operation = paths[path][method]
        assert set(operation["responses"]["200"]["content"]) == set(FORMS), path
        assert "406" in operation["responses"], path
