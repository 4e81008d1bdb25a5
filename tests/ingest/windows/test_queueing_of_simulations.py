"""What is inferred from the simulator's logs of whole topologies: short and long, calm and bursty, with batches."""

from collections import Counter

import pytest

from ingest.measuring.pieces import join_pieces
from ingest.windows.queueing import SeenQueueing, infer_queueing
from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.simulate import simulate_visits
from planner.values import Edge, InstanceLoad, Load, Operator, OperatorLoad, Queueing, Topology
from tests.ingest.in_memory import run_stages, slice_windows
from tests.ingest.queue_logs import judge_visits

KINDS: tuple[Queueing, ...] = ("shared", "round-robin", "random", "keyed")
SELECTIVITIES = {"parse": 1.0, "split": 1.0, "count": 2.0}  # tuples for each of the operator before
SHARES = (0.31, 0.26, 0.23, 0.2)
RATE, BUSY = 40.0, 0.65
BURSTS = ArrivalLaw("mmpp", burst_ratio=1.5, burst_share=0.2, mean_burst_seconds=2.0)
SHORT, LONG = 3_000, 30_000


def simulate_log(
    queueing: Queueing, roots: int, arrivals: ArrivalLaw, seed: int, keyed_by: str | None = None
) -> list[SeenQueueing]:
    names, visits, loads = list(SELECTIVITIES), 1.0, {}
    for name, selectivity in SELECTIVITIES.items():
        visits *= selectivity
        rate = RATE * visits / (len(SHARES) * BUSY)
        instances = tuple(InstanceLoad(f"i{n}", share) for n, share in enumerate(SHARES))
        loads[name] = OperatorLoad(rate, processors=len(SHARES), instances=instances)
    operators = tuple(Operator(name, queueing=queueing, keyed_by=keyed_by) for name in names)
    edges = (Edge("parse", "split", 1.0), Edge("split", "count", 2.0))
    load = Load(external_rate=RATE, operators=loads)
    log = simulate_visits(Topology(operators, edges), load, roots=roots, seed=seed, arrivals=arrivals)
    return infer_queueing(join_pieces(run_stages([judge_visits(log, names)], slice_windows()).pieces))


@pytest.mark.parametrize(
    ("arrivals", "roots", "seeds"), [(ArrivalLaw(), SHORT, 2), (BURSTS, SHORT, 2), (BURSTS, LONG, 1)]
)
def test_simulated_queues_are_told_apart(arrivals: ArrivalLaw, roots: int, seeds: int):
    """Shared queues are never taken for own ones; own ones are seen in every log, and their kind at least as likely."""
    told = {
        kind: Counter(
            (one.queueing, one.is_sure)
            for seed in range(seeds)
            for one in simulate_log(kind, roots, arrivals, seed)
        )
        for kind in KINDS
    }
    looked = seeds * len(SELECTIVITIES)
    assert told["shared"].keys() == {("shared", True)}
    assert told["round-robin"] == {("round-robin", True): looked}
    assert told["random"].total() == told["keyed"].total() == looked
    assert {kind for kind, _ in told["random"]} == {"random"}
    assert {kind for kind, _ in told["keyed"]} == {"keyed"}
    if roots == LONG:
        assert told["random"][("random", True)] == told["keyed"][("keyed", True)] == looked
    else:
        assert told["random"][("random", False)], "a log that is too short to be sure"


@pytest.mark.parametrize("keyed_by", ["root", "tuple"])
def test_whether_tuples_of_one_root_share_a_key_is_seen_where_several_come(keyed_by: str):
    seen = simulate_log("keyed", SHORT, ArrivalLaw(), 1, keyed_by)
    assert {one.operator: one.keyed_by for one in seen} == {"parse": None, "split": None, "count": keyed_by}
