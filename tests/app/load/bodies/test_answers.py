"""An estimate as JSON has every number of the planner's estimate."""

from math import inf

from app.load.bodies.answers import to_estimate_answer
from app.load.bodies.load import FPD_LOAD, LoadBody
from app.load.bodies.topology import FPD, Graph
from planner.situations.situation import estimate

TOPOLOGY = Graph.model_validate(FPD).to_values()
LOAD = LoadBody.model_validate(FPD_LOAD).to_values()


def test_the_answer_has_the_fields_of_the_estimate():
    found = estimate(TOPOLOGY, LOAD)
    answer = to_estimate_answer(found)
    for field in set(found._fields) - {"operators", "diagnostics", "unstable_operators", "evidence"}:
        assert getattr(answer, field) == getattr(found, field)
    assert [one.model_dump() for one in answer.operators] == [one._asdict() for one in found.operators]
    assert [one.code for one in answer.diagnostics] == [one.code for one in found.diagnostics]
    assert answer.evidence is not None
    assert found.evidence is not None
    assert (answer.evidence.kind, answer.evidence.known_error) == (
        found.evidence.kind,
        found.evidence.known_error,
    )
    assert answer.evidence.measured == list(found.evidence.measured)
    assert answer.evidence.assumed == list(found.evidence.assumed)
    assert answer.calibration is None
    assert answer.basis is None


def test_what_is_infinite_is_null_in_json():
    found = estimate(TOPOLOGY, LOAD, {"generator": 6, "detector": 2, "reporter": 3})
    assert found.expected_sojourn_seconds in {None, inf}
    answer = to_estimate_answer(found).model_dump(mode="json")
    assert answer["expected_sojourn_seconds"] is None
    assert not answer["stable"]
    assert answer["unstable_operators"] == ["detector"]
