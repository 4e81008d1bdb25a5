"""An engine over HTTP: looks, changes, and what it says instead."""

from collections.abc import Iterator

import httpx
import pytest
from pydantic import JsonValue

from app.bridge.engine_link import EngineLink, PatchRefused
from app.bridge.http_clients import Unanswered
from app.bridge.stopping import Stop, Stopped
from app.engines.answers import ENGINES, EngineName
from tests.app.bridge.flink_stand_in import IDS, FlinkStandIn, serving


@pytest.fixture
def engine() -> FlinkStandIn:
    return FlinkStandIn()


@pytest.fixture
def client(engine: FlinkStandIn) -> Iterator[httpx.Client]:
    with serving(engine) as url, httpx.Client(base_url=url) as client:
        yield client


def make_link(client: httpx.Client, job: str | None = "network") -> EngineLink:
    return EngineLink("flink", client, job, Stop())


def test_a_look_has_the_answers_with_their_paths_and_times(engine: FlinkStandIn, client: httpx.Client):
    answers = make_link(client).take_sample()
    assert answers[0].path == "/jobs/overview"
    assert f"/jobs/{engine.job}" in [answer.path for answer in answers]
    assert all(answer.at is not None for answer in answers)


def test_a_job_that_does_not_run_is_told_with_those_that_do(client: httpx.Client):
    with pytest.raises(Unanswered, match=r"'other'.*network"):
        make_link(client, "other").take_sample()


def test_another_status_is_told_with_its_address(client: httpx.Client):
    with pytest.raises(httpx.HTTPStatusError, match="answers 404 at /nothing"):
        make_link(client).get("/nothing")
    client.base_url = client.base_url.join("/deeper")
    with pytest.raises(Unanswered, match="answers 404 at /deeper/jobs/overview"):
        make_link(client).take_sample()


@pytest.mark.parametrize("kind", [one for one in ENGINES if one != "flink"])
def test_every_engine_can_be_asked_and_another_one_at_the_address_is_told(
    kind: EngineName, client: httpx.Client
):
    with pytest.raises(Unanswered, match="answers 404 at /"):
        EngineLink(kind, client, "job", Stop()).take_sample()


def test_an_engine_without_a_patch_cannot_be_changed(client: httpx.Client):
    assert EngineLink("spark", client, "job", Stop()).make_patch({"query": 3}, {}) is None


def test_a_change_is_put_and_read_again(engine: FlinkStandIn, client: httpx.Client):
    link = make_link(client)
    parallelism: dict[str, JsonValue] = dict.fromkeys(IDS.values(), 2)
    patch = link.make_patch(
        {"parse": 7},
        {"job": engine.job, "vertices": {"parse": IDS["parse"]}, "parallelism": parallelism},
    )
    assert patch is not None
    link.send(patch)
    assert engine.running["parse"] == 7


def test_a_change_that_is_refused_is_told_in_the_words_of_the_engine(
    engine: FlinkStandIn, client: httpx.Client
):
    link = make_link(client)
    patch = link.make_patch({}, {"job": engine.job})
    assert patch is not None
    with pytest.raises(PatchRefused, match=r"400.*incomplete"):
        link.send(patch)


def test_whether_a_change_was_taken_on_is_unknown_where_nobody_answers(
    engine: FlinkStandIn, client: httpx.Client
):
    link = make_link(client)
    patch = link.make_patch({}, {"job": engine.job})
    assert patch is not None
    engine.refuses = 503
    with pytest.raises(Unanswered, match="503"):
        link.send(patch)
    client.base_url = client.base_url.copy_with(port=1)
    with pytest.raises(Unanswered, match="refused"):
        link.send(patch)


def test_a_stop_is_noticed_before_a_request(engine: FlinkStandIn, client: httpx.Client):
    link = make_link(client)
    patch = link.make_patch({}, {"job": engine.job})
    assert patch is not None
    link.stop.ask()
    with pytest.raises(Stopped):
        link.take_sample()
    with pytest.raises(Stopped):
        link.send(patch)
    assert engine.requests == []
