"""Operators with a queue for each processor or with bursts, for the tests."""

from math import inf

from hypothesis import strategies as st

from planner.queueing.queueings import EmittedBatch, Inflow
from planner.queueing.stations import NO_BOUND, Stations
from planner.values import IdcPoint, InstanceLoad

OWN = ("round-robin", "random", "keyed")


def build(
    inflow: Inflow,
    load: float,
    *,
    mu: float = 2.0,
    scvs: tuple[float, float] = (1.0, 1.0),
    model: str = "ggk-whitt",
) -> Stations:
    """One operator."""
    return Stations([load * mu], [mu], [scvs[0]], [scvs[1]], [1], [NO_BOUND], model, [inflow])


@st.composite
def inflows(draw: st.DrawFn, queueing: str) -> Inflow:
    """Any inflow, plausible or not: odd curves, few senders or many, batches, measured instances."""
    levels = st.lists(st.floats(0.0, 50.0), min_size=2, max_size=9)

    def curve() -> tuple[IdcPoint, ...]:
        if draw(st.booleans()):
            return ()
        first = draw(st.floats(0.05, 5.0))
        return tuple([IdcPoint(first * 2.0**i, level) for i, level in enumerate(draw(levels))])

    idc = curve()
    batches = (EmittedBatch(0.6, draw(st.floats(1.1, 20.0))),) if draw(st.booleans()) else ()
    if queueing == "shared" and not idc:
        return Inflow()
    capacity = draw(st.sampled_from([inf, inf, 100.0]))
    instances: tuple[InstanceLoad, ...] = ()
    if queueing == "keyed" and draw(st.booleans()):
        weights = sorted(draw(st.lists(st.floats(0.1, 3.0), min_size=2, max_size=6)), reverse=True)
        scv = st.sampled_from([None, 0.5, 3.0])
        instances = tuple(
            [InstanceLoad(str(i), one / sum(weights), draw(scv), curve()) for i, one in enumerate(weights)]
        )
    root_batch = draw(st.sampled_from([1.0, 2.5])) if queueing == "keyed" else 1.0
    senders = draw(st.sampled_from([1.0, 1.5, 4.0, 200.0]))
    found = Inflow(queueing, senders, idc, instances, capacity, batches, root_batch)
    return found._replace(running=draw(st.sampled_from([inf, inf, 2.0, 8.0])))
