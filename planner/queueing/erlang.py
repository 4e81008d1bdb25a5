"""One operator as a queue in plain floats: stability, Erlang's B and C, and the mean wait with several processors.

Erlang's formulas are exact to 1e-11 up to an offered load of 1e9. The functions that take a Real work on arrays too;
planner.queueing.array_queues shares them.
"""

from math import copysign, erfc, exp, inf, log, pi, sqrt
from typing import Any, NoReturn

import numpy as np

from planner.arrays import Counts, Floats
from planner.errors import InvalidLoad
from planner.queueing.waiting_models import FLOATS, evaluate_variability, weigh_operator
from planner.special import find_special
from planner.values import Model
from planner.wording import write_rate

MAX_OFFERED_LOAD = 1e9
STABILITY_MARGIN = 1e-12
LEAST_LOAD = 1e-150
"""A smaller offered load waits 0: below 1e-150 of its service time."""
ANCHOR_STEP = 64
FIRST_ANCHOR = 128
"""Below this k, B comes by recursion from B(0); above, from the closed form at the last multiple of ANCHOR_STEP."""

Real = Any  # a float or an array of floats
LARGEST_SERIES = 1e5
_SPLITTER = 134217729.0  # 2^27 + 1, Veltkamp's


def split_offered_load(arrival_rate: float, service_rate: float) -> tuple[float, float]:
    """The offered load A = λ/μ as two floats high + low, so that k − A keeps its digits where k is near A.

    high is λ/μ rounded to a float, and low = (λ − high·μ)/μ. With A in a single float k − A would lose six digits.
    """
    if not (0.0 <= arrival_rate < inf and 0.0 < service_rate < inf):
        raise ValueError(
            f"Rates must be finite and above 0: arrivals {arrival_rate}, services {service_rate}."
        )
    if arrival_rate / service_rate > MAX_OFFERED_LOAD:
        refuse_offered_load(arrival_rate, service_rate)
    while service_rate > 1e100:  # the split of a factor must not overflow; scaling by 2^-k is exact
        arrival_rate, service_rate = arrival_rate * 2.0**-512, service_rate * 2.0**-512
    while service_rate < 1e-100:
        arrival_rate, service_rate = arrival_rate * 2.0**512, service_rate * 2.0**512
    high = arrival_rate / service_rate
    return high, find_remainder(arrival_rate, high, service_rate)


def find_remainder(dividend: Real, quotient: Real, divisor: Real) -> Real:
    """The rest (dividend − quotient·divisor)/divisor of a rounded division, from the product in full (Dekker 1971)."""
    product = quotient * divisor
    x = _SPLITTER * quotient
    x_high = x - (x - quotient)
    x_low = quotient - x_high
    y = _SPLITTER * divisor
    y_high = y - (y - divisor)
    y_low = divisor - y_high
    lost = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return ((dividend - product) - lost) / divisor


def refuse_offered_load(arrival_rate: float, service_rate: float) -> NoReturn:
    """Raise InvalidLoad for an offered load above MAX_OFFERED_LOAD."""
    raise InvalidLoad(
        f"An arrival_rate of {write_rate(arrival_rate)} at a service_rate of {write_rate(service_rate)} "
        f"keeps more than {MAX_OFFERED_LOAD:,.0f} processors busy, "
        "more than can be planned: check the units of both rates."
    )


def find_least_stable(high: float, low: float) -> int:
    """The fewest processors k that keep up with an offered load A = high + low: the least k with k − A > k·1e-12.

    That is λ < kμ(1 − 1e-12); the rounding of ⌊A⌋ + 1 is corrected.
    """
    k = int(high) + 1
    while (k - high) - low <= k * STABILITY_MARGIN:
        k += 1
    while k > 1 and (k - 1 - high) - low > (k - 1) * STABILITY_MARGIN:
        k -= 1
    return k


def split_offered_loads(arrival_rate: Floats, service_rate: Floats) -> tuple[Floats, Floats]:
    """The offered loads λ/μ of several operators, each as high + low with the same bits as split_offered_load."""
    fraction, exponent = np.frexp(service_rate)
    scaled = np.ldexp(arrival_rate, -exponent)
    high = scaled / fraction
    if not (np.all(arrival_rate >= 0.0) and np.all(service_rate > 0.0) and np.all(np.isfinite(service_rate))):
        raise ValueError("The rates of arrivals and of services must be finite and above 0.")
    if not np.all(high <= MAX_OFFERED_LOAD):
        i = int(np.argmax(~(high <= MAX_OFFERED_LOAD)))
        refuse_offered_load(float(arrival_rate[i]), float(service_rate[i]))
    low: Floats = find_remainder(scaled, high, fraction)
    return high, low


def find_least_stable_counts(high: Floats, low: Floats) -> Counts:
    """The fewest processors that keep up at each operator, from arrays of offered loads high + low.

    Rounding may move ⌊high + low⌋ by one, which three steps correct.
    """
    k = np.floor(high) + 1.0
    for _ in range(3):
        k += (k - high) - low <= k * STABILITY_MARGIN
    below = np.maximum(k - 1.0, 1.0)
    k = np.where((k > 1.0) & ((below - high) - low > below * STABILITY_MARGIN), below, k)
    return k.astype(np.int64)


def deviance(k: float, load: float, slack: float) -> float:
    """The deviance k·ln(k/A) − (k − A) of k from the load A, by a series where k is near A (Loader 2000)."""
    v = slack / (k + load)
    return deviance_series(k, slack, v) if -0.2 < v < 0.2 else k * log(k / load) - slack


def deviance_series(k: Real, slack: Real, v: Real) -> Real:
    """The deviance k·ln(k/A) − (k − A) where k is near A, as a series: cv + 2kv³(1/3 + v²/5 + …).

    With c = k − A and v = c/(k + A), for |v| < 0.2.
    """
    u = v * v
    tail = 1 / 3 + u * (1 / 5 + u * (1 / 7 + u * (1 / 9 + u * (1 / 11 + u * (1 / 13 + u * (1 / 15 + u * (
        1 / 17 + u * (1 / 19 + u / 21))))))))  # fmt: skip
    return slack * v + 2.0 * k * v * u * tail


def stirling_error(k: Real) -> Real:
    """The error of Stirling's formula for ln k!, as a series that is right to 1e-16 from k = 16 up. ln k! −
    ln(√(2πk)(k/e)^k) = 1/12k − 1/360k³ + 1/1260k⁵ − …
    """
    u = 1.0 / (k * k)
    return (1 / 12 - u * (1 / 360 - u * (1 / 1260 - u * (1 / 1680 - u / 1188)))) / k


def temme_sum(eta: Real, k: Real) -> Real:
    """The sum c0(η) + c1(η)/k + c2(η)/k² of Temme's uniform expansion of the incomplete gamma function (DLMF 8.12.7). η
    = `eta` is the expansion's own scale of how far k is from the load; for k > 1e5 and |η| < 0.12.
    """
    c0 = -1 / 3 + eta * (1 / 12 + eta * (-2 / 135 + eta * (1 / 864 + eta * (1 / 2835 + eta * (
        -139 / 777600 + eta / 25515)))))  # fmt: skip
    c1 = -1 / 540 + eta * (-1 / 288 + eta * (1 / 378 - eta * 77 / 77760))
    return c0 + (c1 + 25 / 6048 / k) / k


def closed_erlang_b(k: int, high: float, low: float) -> float:
    """Erlang's B of k ≥ 128 processors in closed form: a Poisson mass over the incomplete gamma function Q(k + 1, A).

    A = high + low is the offered load. The Poisson mass comes from Loader's saddle point. For k above 1e5, Q comes from
    Temme's expansion with P = erfc(√bd0)/2 − e^−bd0/√(2πk)·(c0 + c1/k + …): the function gammaincc stops its series
    after 2000 terms, and is then wrong by 2e-9 at k = 2e6 and 4.5 standard deviations.
    """
    slack = (k - high) - low
    distance = deviance(k, high, slack)
    density = exp(-distance) / sqrt(2.0 * pi * k)
    mass = density * exp(-stirling_error(k))
    if k <= LARGEST_SERIES:
        return mass / float(gammaincc(k, high, mass))
    root = copysign(sqrt(max(distance, 0.0)), slack)
    tail: float = 0.5 * erfc(root) - density * temme_sum(-root * sqrt(2.0 / k), k)
    return mass / (1.0 - tail + mass)


def gammaincc(k: Real, load: Real, mass: Real) -> Real:
    """The incomplete gamma function Q(k + 1, A) = P(N ≤ k) for N of Poisson's law with mean A = `load`.

    `mass` is P(N = k), which the callers know. Without scipy, Q is the sum of Poisson's masses up to k or beyond it,
    whichever is shorter, as multiples of that of k.
    """
    special = find_special()
    if special is not None:
        return special.gammaincc(k + 1.0, load)
    return np.asarray(np.frompyfunc(sum_masses, 3, 1)(k, load, mass), dtype=float)


def sum_masses(k: float, load: float, mass: float) -> float:
    """P(N ≤ k) from P(N = k), for N of Poisson's law with mean `load`."""
    term, total, step = 1.0, 0.0, 0.0
    if k < load:  # 1 + k/A + k(k − 1)/A² + …
        while term > 1e-17 * total:
            total, term, step = total + term, term * (k - step) / load, step + 1.0
        return mass * total
    while term > 1e-17 * total or step == 0.0:  # A/(k + 1) + A²/((k + 1)(k + 2)) + …
        step += 1.0
        term *= load / (k + step)
        total += term
    return 1.0 - mass * total


def advance_erlang_b(b: float, high: float, start: int, k: int) -> float:
    """Erlang's B of k processors from B of `start` processors, by B(n) = A·B(n−1)/(n + A·B(n−1)), A = `high`."""
    for n in range(start + 1, k + 1):
        x = high * b
        b = x / (n + x)
    return b


def anchored_erlang_b(k: int, high: float, low: float) -> float:
    """Erlang's B of k processors, by recursion from the last anchor at or below k; equal arguments give equal bits."""
    if k < FIRST_ANCHOR:
        return advance_erlang_b(1.0, high, 0, k)
    anchor = k - k % ANCHOR_STEP
    return advance_erlang_b(closed_erlang_b(anchor, high, low), high, anchor, k)


def mmk_wait(k: Real, b: Real, load: Real, slack: Real) -> Real:
    """The mean wait of a tuple at k processors with Poisson arrivals, in units of one service: kB/(c(c + AB)).

    B is Erlang's B, A = `load` is the offered load, and c = `slack` is k − A.
    """
    return k * b / (slack * (slack + load * b))


def erlang_c(k: Real, b: Real, load: Real, slack: Real) -> Real:
    """The part of arrivals that wait at k processors, from Erlang's B: kB/(c + AB), A the load, c = k − A."""
    return k * b / (slack + load * b)


def solve_halfin_whitt(waiting: float) -> float:
    """The x for which k = A + x√A processors let waiting·√A tuples wait on average, at an offered load A.

    The mean number is φ/(x(φ + xΦ)) with the density φ and distribution Φ of the normal law (Halfin and Whitt 1981).
    """
    low, high = -20.0, 3.6
    for _ in range(24):
        middle = (low + high) / 2.0
        x = exp(middle)
        density = exp(-x * x / 2.0) / sqrt(2.0 * pi)
        below = erfc(-x / sqrt(2.0)) / 2.0
        low, high = (middle, high) if density > waiting * x * (density + x * below) else (low, middle)
    return exp(low)


def least_stable_processors(arrival_rate: float, service_rate: float) -> int:
    """The fewest processors k that keep up with the arrivals, with λ < kμ(1 − 1e-12); 1 where nothing arrives."""
    return find_least_stable(*split_offered_load(arrival_rate, service_rate))


def waiting_probability(arrival_rate: float, service_rate: float, processors: int) -> float:
    """The part of arrivals that wait for a free processor (Erlang's C); 1 where the processors cannot keep up."""
    high, low = split_offered_load(arrival_rate, service_rate)
    slack = (processors - high) - low
    if slack <= processors * STABILITY_MARGIN:
        return 1.0
    return float(erlang_c(processors, anchored_erlang_b(processors, high, low), high, slack))


def wait_seconds(  # noqa: PLR0917 - one argument per symbol of the formula
    arrival_rate: float,
    service_rate: float,
    processors: int,
    arrival_scv: float,
    service_scv: float,
    model: Model,
) -> float:
    """The mean wait at one operator in seconds; 0 where nothing arrives, inf where the processors cannot keep up."""
    high, low = split_offered_load(arrival_rate, service_rate)
    slack = (processors - high) - low
    if slack <= processors * STABILITY_MARGIN:
        return inf
    if high < LEAST_LOAD:
        return 0.0
    wait: float = mmk_wait(processors, anchored_erlang_b(processors, high, low), high, slack) / service_rate
    weights = weigh_operator(model, arrival_scv, service_scv)
    v: float = evaluate_variability(weights, slack / high, processors, FLOATS)
    return wait * v


def wait_at_all(a: Floats, s: Floats, rho: Floats) -> Floats:
    """The probability that a tuple waits at one server, from SCVs a and s of arrivals and services, and utilisation ρ.

    ρ + (a − 1)ρ(1 − ρ)·h, with h = (1 + a + ρs)/(1 + ρ(s − 1) + ρ²(4a + s)) for a ≤ 1, else 4ρ/(a + ρ²(4a + s)) (Krämer
    and Langenbach-Belz 1976).
    """
    square = rho * rho * (4.0 * a + s)
    smooth = (1.0 + a + rho * s) / np.maximum(1.0 + rho * (s - 1.0) + square, 1e-12)
    rough = 4.0 * rho / np.maximum(a + square, 1e-300)
    h = np.where(a <= 1.0, smooth, rough)
    return np.clip(rho + (a - 1.0) * rho * (1.0 - rho) * h, 0.0, 1.0)
