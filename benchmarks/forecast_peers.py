"""Bands of rates by Headgate beside LightGBM and statsforecast, on the same origins.

    sh tools/setup.sh requirements-bench.lock && .venv/bin/python -m benchmarks forecast

coverage: how often a band of 95% holds. loss: the pinball loss of its bounds, as a share of the workload's mean rate.
ms: processor milliseconds of one forecast, of 60 steps for Headgate and statsforecast, of three steps for LightGBM.
LightGBM learns the quantiles 2.5% and 97.5% of each number of steps ahead from what came before, and is widened by the
errors on the newest fifth (conformal quantiles). AutoETS and AutoTheta know the newest two days, MSTL all with a day as
its season.
"""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.promise_workloads import list_workloads
from planner.arrays import Floats
from planner.workloads.season_bands import forecast_by_seasons
from planner.workloads.series import Measurement, Workload, regularise_workload
from planner.workloads.weighed_forecast import forecast_by_both
from planner.workloads.workload_forecast import WorkloadForecast, forecast_by_lines

LEADS, LEVEL, TAIL = (1, 15, 60), 0.95, 0.025
LAGS, SPANS = (0, 1, 2, 4, 9, 14, 29, 59), (5, 15, 60, 240)
CALIBRATING = 0.2
ORIGINS = 24
"""Of twelve origins a single miss decides how a forecast compares with another."""

Bounds = Mapping[int, tuple[float, float]]
Maker = Callable[[Workload], Bounds]


class Judged(NamedTuple):
    """One band: whether it held, its loss and its time."""

    held: bool
    loss: float
    seconds: float


def take_bounds(make: Callable[[Workload, int, float], WorkloadForecast]) -> Maker:
    """A forecast of Headgate as its bounds at the leads."""

    def make_bounds(workload: Workload) -> Bounds:
        made = make(workload, max(LEADS), LEVEL)
        return {lead: (float(made.lower[lead - 1]), float(made.upper[lead - 1])) for lead in LEADS}

    return make_bounds


def make_rows(logs: Floats, origins: np.ndarray, lead: int, day: int) -> Floats:
    """What LightGBM knows at the origins: newest rates, means, the same time of the days before, and the hour."""
    sums = np.concatenate(([0.0], np.cumsum(logs)))
    level = logs[origins]
    columns = [logs[np.maximum(origins - lag, 0)] - level for lag in LAGS[1:]]
    columns += [
        (sums[origins + 1] - sums[np.maximum(origins + 1 - span, 0)]) / np.minimum(origins + 1, span) - level
        for span in SPANS
    ]
    for days in (1, 2, 7):
        then = origins - days * day * max(1, -(-lead // day))
        columns.append(
            np.where(then >= 0, logs[np.maximum(then + lead, 0)] - logs[np.maximum(then, 0)], np.nan)
        )
    columns.append((origins + lead) % day)
    return np.column_stack(columns)


def forecast_by_lightgbm(workload: Workload) -> Bounds:
    """Conformal quantiles by gradient boosting, a model for each bound and each number of steps ahead."""
    import lightgbm

    rates, day = workload.series, workload.day_steps
    offset = 0.5 * rates.mean()
    logs, found = np.log(rates + offset), {}
    for lead in LEADS:
        origins = np.arange(60, len(logs) - lead)
        rows = make_rows(logs, np.append(origins, len(logs) - 1), lead, day)
        outcomes = logs[origins + lead] - logs[origins]
        cut = int(len(origins) * (1.0 - CALIBRATING))
        data = lightgbm.Dataset(rows[: cut - lead], outcomes[: cut - lead], free_raw_data=False)
        terms = {"objective": "quantile", "num_leaves": 15, "verbose": -1, "num_threads": 1}
        lows, highs = (
            np.asarray(lightgbm.train({**terms, "alpha": alpha}, data, 100).predict(rows[cut:]))
            for alpha in (TAIL, 1.0 - TAIL)
        )
        off = np.maximum(lows[:-1] - outcomes[cut:], outcomes[cut:] - highs[:-1])
        wider = float(np.quantile(off, min(LEVEL * (1.0 + 1.0 / len(off)), 1.0)))
        ends = np.exp(logs[-1] + np.array([lows[-1] - wider, highs[-1] + wider])) - offset
        found[lead] = (max(float(ends[0]), 0.0), max(float(ends[1]), 0.0))
    return found


def forecast_by_statsforecast(name: str) -> Maker:
    """A model of statsforecast by its name."""

    def make_bounds(workload: Workload) -> Bounds:
        from statsforecast import models

        rates, day = workload.series, workload.day_steps
        if name == "MSTL":
            model, known = models.MSTL(season_length=[day]), rates
        else:
            model, known = getattr(models, name)(season_length=1), rates[-2 * day :]
        made = model.forecast(y=known.astype(float), h=max(LEADS), level=[round(100.0 * LEVEL)])
        lower, upper = (np.maximum(made[f"{side}-{100.0 * LEVEL:g}"], 0.0) for side in ("lo", "hi"))
        return {lead: (float(lower[lead - 1]), float(upper[lead - 1])) for lead in LEADS}

    return make_bounds


OURS: Mapping[str, Maker] = {
    "auto": take_bounds(forecast_by_both),
    "seasons": take_bounds(forecast_by_seasons),
    "lines": take_bounds(forecast_by_lines),
}
PEERS: Mapping[str, Maker] = {
    "LightGBM": forecast_by_lightgbm,
    "AutoETS": forecast_by_statsforecast("AutoETS"),
    "AutoTheta": forecast_by_statsforecast("AutoTheta"),
    "MSTL": forecast_by_statsforecast("MSTL"),
}


def judge(bounds: tuple[float, float], came: float, mean: float, seconds: float) -> Judged:
    """One band beside what came."""
    lower, upper = bounds
    loss = sum(max(q * (came - x), (q - 1.0) * (came - x)) for q, x in ((TAIL, lower), (1.0 - TAIL, upper)))
    return Judged(lower <= came <= upper, loss / mean, seconds)


def has_peers() -> bool:
    """Whether the packages of the peers are installed."""
    try:
        import lightgbm  # noqa: F401
        import statsforecast  # noqa: F401
    except ImportError:
        print("LightGBM and statsforecast are not installed: sh tools/setup.sh requirements-bench.lock")
        return False
    return True


def compare_bands(names: Sequence[str] = (), origins: int = ORIGINS) -> None:
    """Prints a table of all forecasts for each workload, and at last for all of them."""
    warnings.simplefilter("ignore")
    makers = {**OURS, **(PEERS if has_peers() else {})}
    found: dict[tuple[str, int], list[list[Judged]]] = {}
    for name, rates, step in list_workloads((0,)):
        if names and not any(part in name for part in names):
            continue
        rows: dict[tuple[str, int], list[Judged]] = {}
        for known in np.linspace(0.5 * len(rates), len(rates) - 61, origins).astype(int):
            past = [Measurement(step * i, float(rate)) for i, rate in enumerate(rates[:known])]
            workload = regularise_workload(past[-10_080:], step)
            for maker, make in makers.items():
                if not found and not rows.get((maker, LEADS[0])):
                    make(workload)  # what it imports is no part of its time
                began = time.process_time()
                made = make(workload)
                seconds = time.process_time() - began
                for lead in LEADS:
                    one = judge(made[lead], float(rates[known + lead - 1]), float(rates.mean()), seconds)
                    rows.setdefault((maker, lead), []).append(one)
        for key, judged in rows.items():
            found.setdefault(key, []).append(judged)
        losses = {maker: np.mean([one.loss for one in rows[maker, 15]]) for maker in makers}
        print(f"{name:34}" + " ".join(f"{maker} {loss:.3f}" for maker, loss in losses.items()), flush=True)
    print_bands(found, list(makers))


def print_bands(found: Mapping[tuple[str, int], Sequence[Sequence[Judged]]], makers: Sequence[str]) -> None:
    """Prints coverage, loss and time, and the loss beside that of lines: the geometric mean over workloads."""
    print(f"\n{'bands by':12}{'steps ahead':>12}{'coverage':>10}{'loss':>8}{'to lines':>10}{'ms':>9}")
    for lead in LEADS:
        lines = np.array([np.mean([one.loss for one in rows]) for rows in found["lines", lead]])
        for maker in makers:
            every = [one for rows in found[maker, lead] for one in rows]
            held, loss, seconds = np.mean(every, axis=0)
            own = np.array([np.mean([one.loss for one in rows]) for rows in found[maker, lead]])
            ratio = np.exp(np.mean(np.log((own + 1e-12) / (lines + 1e-12))))
            print(f"{maker:12}{lead:12}{held:10.1%}{loss:8.3f}{ratio:10.2f}{1e3 * seconds:9.1f}")
