"""app/engines/kafka/asking.py: lags of a REST proxy, or the page itself."""

from pydantic import JsonValue

from app.engines.answers import EngineAnswer
from app.engines.kafka.asking import ask
from app.engines.kafka.reader import read
from tests.app.engines.kafka.made import AT, RECORDED
from tests.app.engines.kafka.test_samples_lags import REST

PAGES: dict[str, JsonValue] = {
    "/": RECORDED,
    "/v3/clusters": {"kind": "KafkaClusterList", "data": [{"kind": "KafkaCluster", "cluster_id": "lkc 1"}]},
    "/v3/clusters/lkc%201/consumer-groups/a%2Fb/lags": {"kind": "KafkaConsumerLagList", "data": [REST]},
}


class Pages:
    """Answers with what stands under the path."""

    def __init__(self, **changed: JsonValue) -> None:
        self.changed = changed

    def get(self, path: str) -> EngineAnswer:
        return EngineAnswer(self.changed.get(path.rpartition("/")[2], PAGES.get(path)), path, AT)


def test_the_lags_of_a_group_are_asked_for():
    answers = ask(Pages(), "a/b")
    assert [answer.path for answer in answers] == list(PAGES)[2:]
    assert read(answers).marks["group"] == "g"


def test_without_a_group_the_page_itself_is_asked():
    answers = ask(Pages(), None)
    assert [answer.path for answer in answers] == ["/"]
    assert read(answers).marks["topics"] == ["clicks"]


def test_a_proxy_without_clusters_has_no_lags():
    assert ask(Pages(clusters={"data": []}), "g") == []
    assert ask(Pages(clusters=None), "g") == []
