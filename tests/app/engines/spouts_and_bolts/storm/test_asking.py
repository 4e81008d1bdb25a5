"""app/engines/spouts_and_bolts/storm/asking.py: which paths are asked for one sample."""

import httpx
import pytest
from pydantic import JsonValue

from app.engines.answers import EngineAnswer, UnreadableAnswer
from app.engines.spouts_and_bolts.storm.asking import ask
from app.engines.spouts_and_bolts.storm.reader import read
from tests.app.engines.spouts_and_bolts.storm.ui_pages import AT, read_golden

WORDS = "WordCount3-1-1402960825"
ROOT = f"/api/v1/topology/{WORDS}"


class Recorded:
    """Answers of a UI by path; it remembers what was asked."""

    def __init__(self, *topologies: tuple[str, str]) -> None:
        listed: list[JsonValue] = [{"id": identity, "name": name} for identity, name in topologies]
        self.bodies: dict[str, JsonValue] = {
            "/api/v1/topology/summary": {"topologies": listed},
            f"{ROOT}?window=600": read_golden("wordcount-topology.json"),
            f"{ROOT}/visualization?window=600": read_golden("wordcount-visualization.json"),
        }
        self.asked: list[str] = []
        self.is_broken = False

    def get(self, path: str) -> EngineAnswer:
        self.asked.append(path)
        if self.is_broken and "/visualization" in path:
            error = httpx.Response(500, request=httpx.Request("GET", f"http://ui{path}"))
            error.raise_for_status()
        return EngineAnswer(self.bodies.get(path, {}), path, AT)


@pytest.mark.parametrize("job", [None, "WordCount3", WORDS])
def test_a_sample_is_the_topology_its_graph_and_every_component(job: str | None):
    engine = Recorded((WORDS, "WordCount3"), *([("other-2-1", "other")] if job else []))
    answers = ask(engine, job)
    components = [f"{ROOT}/component/{name}?window=600" for name in ("spout", "count", "split")]
    assert engine.asked == [
        "/api/v1/topology/summary",
        f"{ROOT}?window=600",
        f"{ROOT}/visualization?window=600",
        *components,
    ]
    assert [answer.path for answer in answers] == engine.asked[1:]
    assert read(answers).marks["topology_id"] == WORDS


@pytest.mark.parametrize(
    ("topologies", "job", "told"),
    [
        ([("a-1", "a"), ("b-1", "b")], None, "more than one topology fits: a, b. Give one with --job."),
        ([], None, "no topology runs."),
        ([("a-1", "a")], "c", "no topology with the name or id 'c' runs. Running: a."),
        ([("a-1", "a"), ("a-2", "a")], "a", "more than one topology fits: a-1, a-2."),
    ],
)
def test_a_topology_that_is_not_clear_is_refused_with_the_names(
    topologies: list[tuple[str, str]], job: str | None, told: str
):
    with pytest.raises(UnreadableAnswer) as caught:
        ask(Recorded(*topologies), job)
    assert told in caught.value.detail


def test_names_are_escaped_in_paths():
    engine = Recorded(("a b/c-1", "a"))
    ask(engine, None)
    assert engine.asked[1] == "/api/v1/topology/a%20b%2Fc-1?window=600"


def test_a_ui_that_cannot_show_the_graph_is_read_without_it():
    engine = Recorded((WORDS, "WordCount3"))
    engine.is_broken = True
    answers = ask(engine, None)
    assert [answer.path for answer in answers] == [
        path for path in engine.asked[1:] if "/visualization" not in path
    ]
    assert {one.code for one in read(answers).diagnostics} >= {"edges-unknown"}
