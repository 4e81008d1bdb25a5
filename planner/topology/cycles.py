"""Cycles in a topology: which operators feed back into each other, and the rates inside a cycle.

For the nonnegative matrix G of selectivities these are equivalent (Berman and Plemmons, Nonnegative Matrices, chapter
6): the spectral radius of G is below 1; I − G is a nonsingular M-matrix; elimination of I − G without exchanges meets
positive pivots only; some x > 0 has (I − G)x > 0.
"""

from collections.abc import Callable, Sequence
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.errors import NoSteadyState
from planner.special import scipy  # scipy.sparse is loaded at its first use, which only large cycles need

# A gain this near 1 would multiply the stream by 1e12: rounding alone decides on which side it lies.
NEARLY_ONE = 1e-12
DENSE_SIZE = 24  # up to here lists are faster than calls into a library
DIRECT_SIZE = 1000
EIGENVALUE_SIZE = 60
GROWTH_STEPS = 1000
MOST_SWEEPS = 200
SETTLED = 1e-14

Vector = NDArray[np.float64]

if TYPE_CHECKING:
    Matrix = scipy.sparse.csc_array[np.float64]


def find_components(successors: Sequence[Sequence[int]], roots: Sequence[int]) -> list[list[int]]:
    """Strongly connected components of a graph reachable from `roots`, each after all that it reaches (Tarjan 1972)."""
    size = len(successors)
    low = [-1] * size  # the discovery number while open; then the least number reachable
    number = [-1] * size
    finished = [0] * size
    closed = [False] * size
    components: list[list[int]] = []
    open_vertices: list[int] = []
    count = 0
    for root in roots:
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
                if not closed[successor] and number[successor] < low[vertex]:
                    low[vertex] = number[successor]
            else:
                path.pop()
                finished[vertex] = count = count + 1
                if path and low[vertex] < low[path[-1][0]]:
                    low[path[-1][0]] = low[vertex]
                if low[vertex] == number[vertex]:
                    component = close_component(vertex, open_vertices, finished)
                    components.append(component)
                    for member in component:
                        closed[member] = True
    return components


def close_component(root: int, open_vertices: list[int], finished: list[int]) -> list[int]:
    """Removes the component of `root` from the stack and returns it, in the order in which the search found its
    vertices.

    In this order few edges lead backward.
    """
    if open_vertices[-1] == root:
        return [open_vertices.pop()]
    start = len(open_vertices) - 1
    while open_vertices[start] != root:
        start -= 1
    component = sorted(open_vertices[start:], key=finished.__getitem__, reverse=True)
    del open_vertices[start:]
    return component


class Cycle(NamedTuple):
    """Operators that feed back into each other; `edges` are (source, target, selectivity), by position in
    search order.
    """

    names: tuple[str, ...]
    edges: Sequence[tuple[int, int, float]]


def solve_cycle(cycle: Cycle, inflow: Sequence[float]) -> list[float]:
    """The arrival rates x = inflow + Gᵀx within a cycle of selectivities G; raises NoSteadyState if the cycle gains."""
    if len(inflow) <= DENSE_SIZE:
        return eliminate(cycle, inflow)
    fed = collect_matrix(cycle)
    try:
        rates = solve_sparse(fed, np.asarray(inflow))
    except ArithmeticError:
        raise NoSteadyState(cycle.names, find_gain(fed)) from None
    return rates.tolist()  # type: ignore[no-any-return]  # numpy types tolist() as Any


def eliminate(cycle: Cycle, inflow: Sequence[float]) -> list[float]:
    """The arrival rates within a small cycle, by Gaussian elimination without exchanges.

    Only pivots are differences; a pivot that is not positive proves that the cycle multiplies tuples without end.
    """
    size, fed = len(inflow), list_rows(cycle)
    rates = list(inflow)
    for pivot in range(size):
        row = fed[pivot]
        rest = 1.0 - row[pivot]
        if not rest > NEARLY_ONE:  # also true if a product overflowed to NaN
            raise NoSteadyState(cycle.names, find_largest_eigenvalue(np.array(list_rows(cycle))))
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


def list_rows(cycle: Cycle) -> list[list[float]]:
    """The matrix of a small cycle: row i lists how many tuples operator i receives per tuple of each other operator."""
    size = len(cycle.names)
    fed = [[0.0] * size for _ in range(size)]
    for source, target, selectivity in cycle.edges:
        fed[target][source] = selectivity
    return fed


def collect_matrix(cycle: Cycle) -> "Matrix":
    """The matrix of a cycle: row i holds how many tuples operator i receives per tuple of each other operator."""
    size = len(cycle.names)
    sources, targets, selectivities = zip(*cycle.edges, strict=True)
    return scipy.sparse.csc_array(
        scipy.sparse.coo_array((selectivities, (targets, sources)), shape=(size, size))
    )


def multiply(matrix: "Matrix", vector: Vector) -> Vector:
    """The product of a matrix and a vector."""
    return np.asarray(matrix @ vector)


def solve_sparse(fed: "Matrix", inflow: Vector) -> Vector:
    """The arrival rates within a large cycle; raises ArithmeticError where it multiplies tuples without end.

    Where thousands of operators feed each other at random, the factors of elimination are dense, so GMRES is tried
    first. Where GMRES proves nothing, elimination decides.
    """
    system = scipy.sparse.csc_array(scipy.sparse.eye_array(len(inflow)) - fed)
    if not np.all(system.diagonal() > NEARLY_ONE):  # a self-loop gains by itself
        raise ArithmeticError
    if len(inflow) > DIRECT_SIZE:
        rates = iterate(fed, system, inflow)
        if rates is not None:
            return rates
    return factorise(system, inflow)


def factorise(system: "Matrix", inflow: Vector) -> Vector:
    """The arrival rates within a cycle by sparse elimination without exchanges; a pivot of 0 or less proves a gain."""
    try:
        factors = scipy.sparse.linalg.splu(
            system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # exactly singular
        raise ArithmeticError from None
    exchanged = np.any(factors.perm_r != factors.perm_c)  # SuperLU exchanges at a pivot of 0
    if exchanged or not np.all(factors.U.diagonal() > NEARLY_ONE):
        raise ArithmeticError
    return np.asarray(factors.solve(inflow))


def iterate(fed: "Matrix", system: "Matrix", inflow: Vector) -> Vector | None:
    """The arrival rates within a cycle by GMRES, preconditioned by the forward edges; None where it proves nothing.

    p with |(I − Gᵀ)p − 1| < ½: p > 0 proves that the cycle does not gain. With a residual below 1e-6 some p ≤ 0 proves
    that the cycle gains, as otherwise p would be within 1e-6 of (I − Gᵀ)⁻¹1 ≥ 1, relative.
    """
    forward = scipy.sparse.linalg.splu(
        scipy.sparse.csc_array(scipy.sparse.tril(system)), permc_spec="NATURAL", diag_pivot_thresh=0.0
    )
    preconditioner = scipy.sparse.linalg.LinearOperator(system.shape, forward.solve, dtype=np.float64)

    def solve(right: Vector) -> Vector:
        return np.asarray(
            scipy.sparse.linalg.gmres(system, right, M=preconditioner, rtol=1e-12, restart=50, maxiter=6)[0]
        )

    proof = solve(np.ones(len(inflow)))
    residual = float(np.max(np.abs(multiply(system, proof) - 1.0)))
    if residual < 1e-6 and np.min(proof) <= 0.0:
        raise ArithmeticError
    if not (residual < 0.5 and np.min(proof) > 0.0):
        look_for_gain(fed)
        return None
    rates = np.maximum(solve(inflow), 0.0)
    return sweep(forward.solve, scipy.sparse.csc_array(scipy.sparse.triu(fed, 1)), inflow, rates)


def sweep(
    solve_forward: Callable[[Vector], Vector], backward: "Matrix", inflow: Vector, rates: Vector
) -> Vector:
    """The arrival rates by Gauss-Seidel steps until no rate changes; steps only add, so small rates become
    exact too.
    """
    for _ in range(MOST_SWEEPS):
        before = rates
        rates = solve_forward(inflow + multiply(backward, before))
        if np.all(np.abs(rates - before) <= SETTLED * rates):
            break
    return rates


def look_for_gain(fed: "Matrix") -> None:
    """Raise ArithmeticError if a stream, followed for many steps, shows an x ≥ 0, x ≠ 0 with Gᵀx ≥ x."""
    stream = np.ones(fed.shape[0])
    for _ in range(GROWTH_STEPS):
        after = multiply(fed, stream)
        if np.all(after >= stream * (1.0 - NEARLY_ONE)):
            raise ArithmeticError
        stream = (stream + after) / np.sum(after)


def find_largest_eigenvalue(fed: NDArray[np.float64]) -> float:
    """The spectral radius of a small matrix that gains; rounding makes it no less than 1."""
    return max(1.0, float(np.max(np.abs(np.linalg.eigvals(fed)))))


def find_gain(fed: "Matrix") -> float:
    """The factor by which a cycle multiplies tuples per step: the spectral radius of its selectivities.

    It is found by eigenvalues, and in large cycles by the growth of a stream, right to about three digits.
    """
    size = fed.shape[0]
    if size <= EIGENVALUE_SIZE:
        return find_largest_eigenvalue(fed.toarray())
    stream, growth = np.ones(size), 0.0
    for step in range(GROWTH_STEPS):
        stream = multiply(fed, stream)
        total = float(np.sum(stream))
        stream /= total
        if step >= GROWTH_STEPS // 2:
            growth += log(total)
    return max(1.0, exp(growth / (GROWTH_STEPS - GROWTH_STEPS // 2)))
