"""The innovations algorithm of ARMA models (Brockwell and Davis 2009, sections 3.3 and 5.2.7).

statsmodels' compiled steps, called without its preparations: these took four fifths of the time of a fit. All that the
algorithm needs of a model are the autocovariances at the first lags, and that its roots are outside the unit circle.
"""

from collections.abc import Sequence

import numpy as np

from planner.arrays import Floats


def find_innovations(ar: Sequence[float], ma: Sequence[float], centred: Floats) -> tuple[Floats, Floats]:
    """The innovation of each value given all before it, and its variance in units of σ².

    Raises ValueError where a root of the autoregressive part is on the unit circle or in it.
    """
    from statsmodels.tsa.innovations import _arma_innovations as compiled

    if not is_stationary(ar):
        raise ValueError("the model is not stationary")
    covariances = np.array(find_autocovariances(ar, ma, 2 * max(len(ar), len(ma)) + 2))
    lagged, moving = np.array([1.0, *(-phi for phi in ar)]), np.array([1.0, *ma])
    phis, thetas = np.array(ar, np.float64), np.array(ma, np.float64)
    early, late = compiled.darma_transformed_acovf_fast(lagged, moving, covariances)
    weights, found = compiled.darma_innovations_algo_fast(len(centred), phis, thetas, early, late)
    variances = np.array(found)
    if (variances < 0.0).any() or not np.isfinite(variances).all() or not np.isfinite(weights).all():
        raise ValueError("the model is not stationary but for rounding")
    values = np.array(centred, np.float64)
    return np.array(compiled.darma_innovations_filter(values, phis, thetas, weights)), variances


def is_stationary(ar: Sequence[float]) -> bool:
    """Whether all roots of 1 − Σ φᵢzⁱ are outside the unit circle: all partial correlations are below 1 (Levinson)."""
    rest = list(ar)
    while rest:
        partial = rest.pop()
        if not abs(partial) < 1.0:
            return False
        scale = 1.0 - partial * partial
        rest = [(one + partial * other) / scale for one, other in zip(rest, rest[::-1], strict=True)]
    return True


def find_autocovariances(ar: Sequence[float], ma: Sequence[float], count: int) -> list[float]:
    """γ(0), γ(1), ... for σ² = 1: the first by their linear equations (3.3.8), the others by recursion (3.3.9)."""
    p, q = len(ar), len(ma)
    size = max(p, q) + 1
    phis, thetas = [1.0, *(-phi for phi in ar), *[0.0] * (size - 1 - p)], [1.0, *ma]
    psis: list[float] = []
    for lag in range(size):
        own = thetas[lag] if lag <= q else 0.0
        psis.append(own + sum([ar[i] * psis[lag - 1 - i] for i in range(min(p, lag))]))
    equations, right = np.zeros((size, size)), np.zeros(size)
    for lag in range(size):
        equations[lag, : lag + 1] = phis[lag::-1]
        equations[lag, 1 : size - lag] += phis[lag + 1 :]
        right[lag] = sum([thetas[lag + i] * psis[i] for i in range(q + 1 - lag)])
    try:
        found: list[float] = np.linalg.solve(equations, right).tolist()
    except np.linalg.LinAlgError as error:
        raise ValueError("the model is not stationary") from error
    while len(found) < count:
        found.append(sum([phi * found[-1 - i] for i, phi in enumerate(ar)]))
    return found[:count]
