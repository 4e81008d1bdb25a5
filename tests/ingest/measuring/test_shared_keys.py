"""Pairs of tuples of one root, counted one by one beside the sums of a batch."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from planner.simulation.simulate import simulate_visits
from planner.values import Edge, Load, Operator, OperatorLoad, Topology
from tests.ingest.in_memory import run_stages, slice_windows
from tests.ingest.queue_logs import judge_visits


def test_pairs_are_those_counted_one_by_one() -> None:
    operators = (Operator("a"), Operator("b", queueing="keyed", keyed_by="tuple"))
    loads = {"a": OperatorLoad(100.0, processors=2), "b": OperatorLoad(100.0, processors=3)}
    topology = Topology(operators, (Edge("a", "b", 3.0),))
    log = simulate_visits(topology, Load(50.0, loads), roots=400)
    [piece] = run_stages([judge_visits(log, ["a", "b"])], slice_windows()).pieces
    keys = {name: column.tolist() for name, column in piece.tables["keys"].items()}
    names = [str(piece.operators[place][1]) for place in keys["operator"]]
    for place, name in enumerate(names):
        number = ["a", "b"].index(name)
        at = np.flatnonzero(log.operator == number)
        tuples = sorted(zip(log.root[at].tolist(), log.instance[at].tolist(), strict=True))
        pairs = [(one[1], other[1]) for one, other in combinations(tuples, 2) if one[0] == other[0]]
        assert keys["pairs"][place] == 2 * len(pairs)
        assert keys["same"][place] == 2 * sum(one == other for one, other in pairs)
        held = Counter(instance for _, instance in tuples)
        chance = sum((count / len(tuples)) ** 2 for count in held.values())
        assert keys["expected"][place] == pytest.approx(2 * len(pairs) * chance)
