"""Cycles in a topology: which operators feed back into each other, and what a cycle does to a stream.

For a nonnegative matrix G these say the same (Berman and Plemmons, Nonnegative Matrices, chapter 6):
the spectral radius of G is below 1; I − G is a nonsingular M-matrix; elimination of I − G without
exchanges meets positive pivots only; some x > 0 has (I − G)x > 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from planner.errors import NoSteadyState

# A gain this near 1 would multiply the stream by 1e12: rounding alone decides on which side it lies.
NEARLY_ONE = 1e-12
DENSE_SIZE = 24


def find_components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components, each after all that it reaches (Tarjan 1972, with its own stack)."""
    size = len(successors)
    low = [-1] * size  # the discovery number while open; then the least number reachable
    number = [-1] * size
    settled = [False] * size
    components: list[list[int]] = []
    open_vertices: list[int] = []
    count = 0
    for root in range(size):
        if number[root] >= 0:
            continue
        number[root] = low[root] = count
        count += 1
        open_vertices.append(root)
        path = [(root, iter(successors[root]))]
        while path:
            vertex, remaining = path[-1]
            for successor in remaining:
                if number[successor] < 0:
                    number[successor] = low[successor] = count
                    count += 1
                    open_vertices.append(successor)
                    path.append((successor, iter(successors[successor])))
                    break
                if not settled[successor] and number[successor] < low[vertex]:
                    low[vertex] = number[successor]
            else:
                path.pop()
                if path and low[vertex] < low[path[-1][0]]:
                    low[path[-1][0]] = low[vertex]
                if low[vertex] == number[vertex]:
                    components.append(close_component(vertex, open_vertices, settled))
    return components


def close_component(root: int, open_vertices: list[int], settled: list[bool]) -> list[int]:
    """Take from the stack all that was opened since `root`, in topology order."""
    start = len(open_vertices) - 1
    while open_vertices[start] != root:
        start -= 1
    component = sorted(open_vertices[start:])
    del open_vertices[start:]
    for vertex in component:
        settled[vertex] = True
    return component


@dataclass(frozen=True, slots=True)
class Cycle:
    """One strongly connected component: edges as (source, target, selectivity) by position in `names`."""

    names: tuple[str, ...]
    edges: tuple[tuple[int, int, float], ...]


def solve_cycle(cycle: Cycle, inflow: Sequence[float]) -> list[float]:
    """Rates x = inflow + Gᵀx within a component; NoSteadyState where its spectral radius is 1 or more."""
    if len(cycle.names) <= DENSE_SIZE:
        return eliminate(cycle, inflow)
    return factorise(cycle, inflow)


def eliminate(cycle: Cycle, inflow: Sequence[float]) -> list[float]:
    """Gauss without exchanges, the diagonal apart: only the pivots subtract, and one that is not positive
    is the proof that the cycle gains.
    """
    size = len(inflow)
    fed = [[0.0] * size for _ in range(size)]  # fed[i][j]: what i receives per tuple of j
    for source, target, selectivity in cycle.edges:
        fed[target][source] = selectivity
    rates = list(inflow)
    for pivot in range(size):
        row = fed[pivot]
        rest = 1.0 - row[pivot]
        if not rest > NEARLY_ONE:  # also where the products overflowed to NaN
            raise NoSteadyState(cycle.names, find_gain(cycle))
        for below in range(pivot + 1, size):
            factor = fed[below][pivot] / rest
            if factor:
                lower = fed[below]
                for column in range(pivot + 1, size):
                    lower[column] += factor * row[column]
                rates[below] += factor * rates[pivot]
    for pivot in range(size - 1, -1, -1):
        row = fed[pivot]
        total = rates[pivot]
        for column in range(pivot + 1, size):
            total += row[column] * rates[column]
        rates[pivot] = total / (1.0 - row[pivot])
    return rates


def factorise(cycle: Cycle, inflow: Sequence[float]) -> list[float]:
    """By sparse factors: (I − Gᵀ)x = 1 has a positive solution iff the cycle does not gain."""
    system = balance_matrix(cycle, 1.0)
    try:
        factors = linalg.splu(system)
    except RuntimeError:  # exactly singular
        raise NoSteadyState(cycle.names, find_gain(cycle)) from None
    proof = factors.solve(np.ones(len(inflow)))
    if not (
        np.all(proof > 0.0) and np.all(proof < 1.0 / NEARLY_ONE) and np.all(np.asarray(system @ proof) > 0.5)
    ):
        raise NoSteadyState(cycle.names, find_gain(cycle))
    given = np.asarray(inflow)
    rates = factors.solve(given)
    rates += factors.solve(given - system @ rates)
    return np.maximum(rates, 0.0).tolist()  # type: ignore[no-any-return]  # numpy's tolist() is typed as Any


def balance_matrix(cycle: Cycle, gain: float) -> "sparse.csc_array[np.float64]":
    """gain·I − Gᵀ."""
    size = len(cycle.names)
    sources, targets, selectivities = zip(*cycle.edges, strict=True)
    fed = sparse.coo_array((selectivities, (targets, sources)), shape=(size, size))
    return sparse.csc_array(gain * sparse.eye_array(size) - fed)


def find_gain(cycle: Cycle) -> float:
    """The spectral radius of the selectivities of a component."""
    size = len(cycle.names)
    fed = np.zeros((size, size))
    for source, target, selectivity in cycle.edges:
        fed[target, source] = selectivity
    return float(np.max(np.abs(np.linalg.eigvals(fed))))
