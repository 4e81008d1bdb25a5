"""Plots backtest runs and forecasts by matplotlib, as answers and as the file of `headgate backtest --plot`."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from app.rendering.png_writing import DRAWING
from app.web.negotiation import PNG
from planner.vms.backtest import Backtest
from planner.vms.sigma_policies import BASELINES

# Colours of Okabe and Ito, which colour-blind people can distinguish.
BLUE, ORANGE, GREY, RED = "#0072B2", "#E69F00", "#8C8C8C", "#D55E00"

MOST_LETTERS = 140
"""The number of letters of a title that fit in one line."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RunPicture:
    """The numbers of one backtest run that its picture shows, step by step."""

    title: str
    start_at: datetime
    step_seconds: float
    workload: Sequence[float]
    capacity: Sequence[float]
    vms: Sequence[int]
    truth_vms: Sequence[int]
    backlog: Sequence[float]


@dataclass(frozen=True)
class ForecastPicture:
    """The numbers of a picture of a forecast: the measured workload with its filled-in steps, the expected rates, and
    the rates measured since.
    """

    title: str
    start_at: datetime
    step_seconds: float
    measured: Sequence[float]
    filled: Sequence[bool]
    expected: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]
    bounds: str
    came: Sequence[float | None] = ()


def draw_run(run: RunPicture, form: str) -> bytes:
    """Draws a backtest run in three panels over time: workload and capacity, VMs, backlog (Imai et al., figure 10)."""
    with DRAWING:
        figure = Figure(figsize=(12, 8), dpi=100, layout="constrained")
        rates, vms, backlogs = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 1.3))
        times = list_times(run.start_at, run.step_seconds, len(run.workload))
        _draw_rates(rates, times, run)
        _draw_vms(vms, times, run)
        _draw_backlogs(backlogs, times, np.array(run.backlog))
        _finish(figure, (rates, vms, backlogs), times, run.title)
        return render(figure, form)


def draw_forecast(forecast: ForecastPicture, form: str) -> bytes:
    """Draws measured rates as a line, expected rates as a line in a band, and rates measured since as a dashed line."""
    with DRAWING:
        figure = Figure(figsize=(12, 5), dpi=100, layout="constrained")
        axes = figure.subplots()
        past = len(forecast.measured)
        times = list_times(forecast.start_at, forecast.step_seconds, past + len(forecast.expected))
        measured = np.where(forecast.filled, np.nan, forecast.measured)  # no line where nothing was measured
        axes.plot(times[:past], measured, color=BLUE, lw=1.2, label="measured")
        # From the last measured point on, so that the two lines meet.
        ahead = times[past - 1 :]
        expected, lower, upper = (
            [forecast.measured[-1], *series] for series in (forecast.expected, forecast.lower, forecast.upper)
        )
        axes.fill_between(ahead, lower, upper, color=ORANGE, alpha=0.3, lw=0, label=forecast.bounds)
        axes.plot(ahead, expected, color=ORANGE, lw=1.6, label="expected")
        if any(rate is not None for rate in forecast.came):
            came = np.array(forecast.came, dtype=float)
            axes.plot(ahead[1:], came, color=BLUE, lw=1.2, ls="--", label="came since")
        axes.axvline(float(times[past - 1]), color=GREY, lw=0.8, ls=":")
        axes.set_ylabel("rate per second")
        _finish(figure, (axes,), times, forecast.title)
        return render(figure, form)


def list_times(start_at: datetime, step_seconds: float, steps: int) -> Floats:
    """Returns the beginning of each step as a number of days, as matplotlib counts time."""
    first = date2num(start_at.astimezone(UTC))
    return np.asarray(first + np.arange(steps) * (timedelta(seconds=step_seconds) / timedelta(days=1)))


def _draw_rates(axes: Axes, times: Floats, run: RunPicture) -> None:
    workload, capacity = np.array(run.workload), np.array(run.capacity)
    axes.plot(times, capacity, color=ORANGE, lw=1.0, drawstyle="steps-post", label="capacity")
    axes.plot(times, workload, color=BLUE, lw=1.0, drawstyle="steps-post", label="workload")
    over = workload >= capacity
    axes.plot(times[over], workload[over], color=RED, ls="", marker=".", ms=4, label="above capacity")
    axes.set_ylabel("rate")


def _draw_vms(axes: Axes, times: Floats, run: RunPicture) -> None:
    axes.plot(times, run.truth_vms, color=GREY, lw=0.7, drawstyle="steps-post", label="ground truth")
    axes.plot(times, run.vms, color=BLUE, lw=1.4, drawstyle="steps-post", label="scheduled")
    axes.set_ylabel("VMs")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_backlogs(axes: Axes, times: Floats, backlogs: Floats) -> None:
    axes.set_ylabel("backlog\n(rate × s)")
    if backlogs.any():
        # One step past each stretch, so that its last step has a width.
        waiting = (backlogs > 0) | (np.roll(backlogs, 1) > 0)
        axes.fill_between(times, backlogs, where=waiting.tolist(), color=RED, lw=0.8, step="post")
        return
    axes.set_ylim(0, 1)
    axes.set_yticks([0])
    axes.text(0.5, 0.5, "nothing ever waited", transform=axes.transAxes, ha="center", va="center")


def _finish(figure: Figure, panels: Sequence[Axes], times: Floats, title: str) -> None:
    for axes in panels:
        axes.set_ylim(bottom=0)
        axes.set_xlim(float(times[0]), float(times[-1]))
        axes.grid(visible=True, color="#DDDDDD", lw=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            # The legend stands above the panel: inside, it could hide data.
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize=9)
    locator = AutoDateLocator(tz=UTC)
    panels[-1].xaxis.set_major_locator(locator)
    panels[-1].xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=UTC))
    panels[-1].set_xlabel("UTC")
    # Names are data, not mathematics: a dollar sign in one must not begin a formula.
    figure.suptitle(textwrap.shorten(title, MOST_LETTERS), x=0.01, ha="left", fontsize=12, parse_math=False)
    figure.align_ylabels(panels)


def render(figure: Figure, form: str) -> bytes:
    """Returns a figure of matplotlib as the bytes of a PNG or SVG file."""
    out = BytesIO()
    if form == PNG:
        FigureCanvasAgg(figure).print_png(out, metadata={"Software": None})
    else:
        FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None})
    return out.getvalue()


HOUR_SECONDS = 3600.0


def plot_backtest(backtest: Backtest, policies: tuple[str, ...], seed: int, path: Path) -> None:
    """Plots a backtest's policies and baselines in three panels over hours; equal backtests give equal files."""
    setup = backtest.setup
    hours = np.arange(len(backtest.rates)) * setup.timing.step_seconds / HOUR_SECONDS
    drawn = [*policies, *(baseline for baseline in BASELINES if baseline not in policies)]
    runs = {policy: backtest.run(policy, seed) for policy in drawn}
    with mpl.rc_context({"svg.hashsalt": "headgate", "svg.fonttype": "path"}):
        figure = Figure(figsize=(11.0, 9.0), layout="constrained")
        rates, vms, backlog = figure.subplots(3, 1, sharex=True)
        rates.plot(hours, backtest.rates, color="black", linewidth=0.6, label="workload")
        for policy, run in runs.items():
            dashed = "--" if policy in BASELINES else "-"
            if policy not in BASELINES:
                rates.plot(hours, run.throughputs, linewidth=0.6, label=f"throughput, {policy}")
                backlog.plot(hours, run.backlogs, linewidth=0.8, label=policy)
            vms.plot(hours, run.vms, dashed, linewidth=0.7, label=policy)
        rates.set(ylabel="rate", title=f"{setup.app} on {setup.workload}, seed {seed}")
        vms.set(ylabel="VMs")
        backlog.set(ylabel="backlog, rate × seconds", xlabel="hours")
        for panel in (rates, vms, backlog):
            panel.legend(loc="upper right", fontsize="small")
            panel.margins(x=0)
        figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)
