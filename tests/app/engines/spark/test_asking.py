"""app/engines/spark/asking.py: the paths of a driver's UI, in their order."""

from datetime import UTC, datetime

from pydantic import JsonValue

from app.engines.answers import EngineAnswer
from app.engines.spark.asking import ask
from app.engines.spark.reader import read
from tests.app.engines.mutating import load_golden

AT = datetime(2026, 11, 18, 22, 42, 5, tzinfo=UTC)
RECORDED: dict[str, JsonValue] = {
    "/api/v1/applications": load_golden("spark/ui-applications.json"),
    "/api/v1/applications/local-1795041679421/executors": load_golden("spark/ui-executors.json"),
    "/metrics/json/": load_golden("spark/ui-metrics.json"),
}


class Recorded:
    """Answers with what was recorded under the path."""

    def get(self, path: str) -> EngineAnswer:
        return EngineAnswer(RECORDED[path.partition("?")[0]], path, AT)


def test_one_sample_is_read():
    answers = ask(Recorded(), "clicks")
    assert [answer.path for answer in answers] == [*list(RECORDED)[:2], "/metrics/json/?query=clicks"]
    assert read(answers).loads[0].operators["clicks"].processors == 2


def test_names_are_encoded():
    assert ask(Recorded(), "a b/c")[-1].path == "/metrics/json/?query=a%20b%2Fc"
    assert ask(Recorded(), None)[-1].path == "/metrics/json/"
