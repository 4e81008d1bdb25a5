"""A bridge without --job and --topology takes the only job, and follows that one."""

import httpx
import pytest
from pydantic import JsonValue

from app.bridge.engine_link import EngineLink
from app.bridge.starting import check_name, name_only_job
from app.bridge.stopping import Stop
from app.engines.answers import EngineName
from app.terminal.commands import Refused
from tests.app.bridge.flink_stand_in import FlinkStandIn, serving
from tests.app.engines.spouts_and_bolts.storm.test_asking import WORDS, Recorded


def open_recorded(storm: Recorded) -> httpx.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        body = storm.bodies.get(request.url.raw_path.decode())
        return httpx.Response(404, json={}) if body is None else httpx.Response(200, json=body)

    return httpx.Client(base_url="http://ui", transport=httpx.MockTransport(answer))


def add_components(storm: Recorded) -> None:
    """Pages of components, which the recording does not have: empty ones."""
    page = storm.bodies[f"/api/v1/topology/{WORDS}?window=600"]
    assert isinstance(page, dict)
    for kind, key in (("spouts", "spoutId"), ("bolts", "boltId")):
        listed = page[kind]
        assert isinstance(listed, list)
        for one in listed:
            assert isinstance(one, dict)
            storm.bodies[f"/api/v1/topology/{WORDS}/component/{one[key]}?window=600"] = dict[str, JsonValue]()


def make_link(kind: EngineName, client: httpx.Client) -> EngineLink:
    return EngineLink(kind, client, None, Stop())


def test_flink_s_only_job_is_taken_and_followed_by_its_name():
    with serving(FlinkStandIn()) as url, httpx.Client(base_url=url) as client:
        link = make_link("flink", client)
        assert name_only_job(link) == "network"
        assert link.job == "network"


def test_storm_s_only_topology_is_taken_and_one_of_several_is_not():
    one = Recorded((WORDS, "WordCount3"))
    add_components(one)
    with open_recorded(one) as client:
        link = make_link("storm", client)
        assert name_only_job(link) == "WordCount3"
        assert link.job == "WordCount3"
    with (
        open_recorded(Recorded((WORDS, "WordCount3"), ("other-2-1", "other"))) as client,
        pytest.raises(Refused, match=r"more than one topology fits: WordCount3, other"),
    ):
        name_only_job(make_link("storm", client))


def test_storm_is_read_without_its_graph():
    recorded = Recorded((WORDS, "WordCount3"))
    add_components(recorded)
    del recorded.bodies[f"/api/v1/topology/{WORDS}/visualization?window=600"]
    with open_recorded(recorded) as client:
        paths = [one.path for one in make_link("storm", client).take_sample()]
    assert any("/component/" in path for path in paths)


def test_an_engine_that_does_not_answer_is_told():
    with (
        httpx.Client(base_url="http://127.0.0.1:9") as client,
        pytest.raises(Refused, match="does not show which job"),
    ):
        name_only_job(make_link("flink", client))


def test_a_name_that_no_topology_can_have_is_refused():
    assert check_name("orders") == "orders"
    with pytest.raises(Refused, match="--topology"):
        check_name("insert-into_a/b")
