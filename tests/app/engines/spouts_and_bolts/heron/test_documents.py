"""app/engines/spouts_and_bolts/heron/documents.py: which document of the tracker an answer is."""

from typing import Any

import pytest

from app.engines.answers import EngineAnswer
from app.engines.spouts_and_bolts.heron.documents import HeronAnswers, list_instances, sort_documents
from tests.app.engines.spouts_and_bolts.heron.composed import load, make_answers, make_documents

IDENTITY = {"cluster": "local", "role": "ads", "environ": "default", "topology": "words"}


def wrap(body: Any) -> Any:
    """As trackers before 0.20.5 answer."""
    return {"status": "success", "message": "", "version": "0.20.0", "executiontime": 0.01, "result": body}


def test_plans_metrics_and_names_are_found():
    found = sort_documents(make_answers(make_documents()))
    assert set(found.logical["bolts"]) == {"split", "count"}  # type: ignore[arg-type]
    assert list_instances(found.physical, "count") == ["container_1_count_4", "container_2_count_5"]
    assert [one.component for one in found.timelines] == ["word", "split", "count", "__stmgr__"]
    assert (found.identity, found.metrics) == (IDENTITY, [])


def test_older_trackers_wrap_their_answers():
    plain = sort_documents(make_answers(make_documents()))
    wrapped = sort_documents(make_answers({name: wrap(body) for name, body in make_documents().items()}))
    assert wrapped == plain


def test_topologies_info_holds_both_plans_and_where_the_topology_runs():
    metadata = {"cluster": "local", "role": "ads", "environ": "default", "jobname": "words", "instances": 5}
    info = {
        "name": "words",
        "metadata": metadata,
        "logical_plan": load("logicalplan"),
        "physical_plan": load("physicalplan"),
    }
    found = sort_documents([EngineAnswer(wrap(info))])
    assert (found.identity, bool(found.logical), bool(found.physical)) == (IDENTITY, True, True)


def test_the_path_names_a_component_and_an_interval_that_the_answer_does_not():
    path = "/topologies/metrics?component=count&interval=600&topology=words"
    found = sort_documents([EngineAnswer({"metrics": {}}, path)])
    assert [(one.component, one.interval) for one in found.metrics] == [("count", 600.0)]
    assert not sort_documents([EngineAnswer({"metrics": {}})]).metrics


@pytest.mark.parametrize("body", [None, [], {}, 3, "x", {"status": "failure", "message": "no such topology"}])
def test_other_documents_are_none_of_them(body: Any):
    found = sort_documents([EngineAnswer(body)])
    assert found == HeronAnswers()
