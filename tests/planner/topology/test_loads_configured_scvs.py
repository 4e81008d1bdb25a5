"""What the owner says of services counts as if it was measured, and only where nothing was."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from planner.decisions.policy import Policy
from planner.plans.optimal import min_processors
from planner.situations.situation import estimate
from planner.topology.loads import take_configured
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import decide

SILENT = Topology(
    (Operator("parse", queueing="round-robin"), Operator("score")),
    (Edge("parse", "score"),),
    (Entry("parse"),),
)
LOAD = Load(
    40.0,
    {"parse": OperatorLoad(10.0, processors=6), "score": OperatorLoad(8.0, processors=7, arrival_scv=1.2)},
)
SCVS = st.floats(0.0, 20.0)


def say(parse: float | None, score: float | None) -> Topology:
    operators = zip(SILENT.operators, (parse, score), strict=True)
    return replace(SILENT, operators=tuple([one._replace(service_scv=scv) for one, scv in operators]))


def measure(parse: float | None, score: float | None) -> Load:
    known = zip(LOAD.operators.items(), (parse, score), strict=True)
    return replace(LOAD, operators={name: one._replace(service_scv=scv) for (name, one), scv in known})


@given(SCVS, SCVS)
def test_what_is_said_gives_the_answers_of_what_is_measured(parse: float, score: float):
    topology, load = say(parse, score), measure(parse, score)
    assert (
        estimate(topology, LOAD).expected_sojourn_seconds == estimate(SILENT, load).expected_sojourn_seconds
    )
    assert min_processors(topology, LOAD, 0.4).processors == min_processors(SILENT, load, 0.4).processors
    policy = Policy(t_max_seconds=0.3)
    said, measured = decide(topology, LOAD, (6, 7), policy), decide(SILENT, load, (6, 7), policy)
    assert [one.processors for one in said.recommended.operators] == [
        one.processors for one in measured.recommended.operators
    ]


@given(SCVS, SCVS)
def test_what_is_measured_wins(said: float, measured: float):
    load = measure(measured, None)
    assert take_configured(say(said, None), load) is load
    taken = take_configured(say(said, said), load)
    assert [(one.service_scv, one.is_scv_configured) for one in taken.operators.values()] == [
        (measured, False),
        (said, True),
    ]


def test_where_nothing_is_said_the_load_is_as_it_was():
    assert take_configured(SILENT, LOAD) is LOAD


def test_an_answer_names_what_was_said_and_not_measured():
    found = estimate(say(0.0, None), LOAD)
    said = {one.code: one for one in found.diagnostics}
    assert said["scv-said"].operators == ("parse",)
    assert "from the topology: parse 0" in said["scv-said"].detail
    assert found.evidence is not None
    assert not any(one.startswith("service_scv") for one in found.evidence.measured)
    assert "services of score vary as random (exponential) ones do" in found.evidence.assumed
    assert any("services of parse vary as the topology says" in one for one in found.evidence.assumed)
