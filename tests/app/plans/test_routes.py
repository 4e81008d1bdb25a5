"""The JSON that is written without models is the JSON that the models would give."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from app.plans.answers import to_plan_answer, write_plan
from planner.plans.optimal import min_latency, min_processors
from planner.values import Edge, Entry, Load, Model, Operator, OperatorLoad, Topology

SCVS = st.none() | st.sampled_from([0.0, 0.5, 1.0, 1.7])
MODELS: st.SearchStrategy[Model] = st.sampled_from(["mmk", "ggk", "ggk-whitt"])


@st.composite
def chains(draw: st.DrawFn) -> tuple[Topology, Load]:
    """Chains of operators with loops, bounds and loads between none and heavy."""
    names = draw(st.lists(st.text("aλ\"'-", min_size=1), min_size=1, max_size=6, unique=True))
    bounds = st.none() | st.integers(20, 25)
    operators = tuple(
        Operator(name, min_processors=draw(st.integers(1, 3)), max_processors=draw(bounds)) for name in names
    )
    edges = [Edge(source, target, draw(st.floats(0.0, 1.2))) for source, target in itertools.pairwise(names)]
    if len(names) > 1:
        edges.append(Edge(names[1], names[0], 0.3))
    loads = {
        name: OperatorLoad(draw(st.floats(10.0, 50.0)), arrival_scv=draw(SCVS), service_scv=draw(SCVS))
        for name in names
    }
    rate = draw(st.sampled_from([0.0, 1e-90, 3.0, 30.0]))
    return Topology(operators, tuple(edges), (Entry(names[0]),)), Load(rate, loads)


@given(chains(), MODELS)
@settings(max_examples=60)
def test_a_plan_written_at_once_is_the_answer_of_the_models_to_the_byte(
    asked: tuple[Topology, Load], model: Model
) -> None:
    topology, load = asked
    for plan in (min_latency(topology, load, 400, model), min_processors(topology, load, 1e6, model)):
        assert write_plan(plan) == to_plan_answer(plan).model_dump_json().encode()
