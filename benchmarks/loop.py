"""The loop on a platform of its own physics: Headgate's rules beside other autoscalers, and an oracle.

    make bench BENCH=loop                                          all controllers, at 2.5 times the least time
    python -m benchmarks.loop 1.6,2.5,5 economic,drs step,ramp     some targets, controllers and workloads

late: the share of the minutes whose true mean time was over the target. cost: processor-minutes, in proportion to the
oracle's. own: late minutes that the pause of an own change caused. turns: reversals within 15 minutes that the rate did
not ask for. ms: processor milliseconds of one decision.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from benchmarks.loop_headgate import EconomicRule, RulesOfDrs
from benchmarks.loop_oracle import Oracle, find_true_needs
from benchmarks.loop_peers import Controller, Ds2, Hpa, KedaOnLag, Static
from benchmarks.loop_platform import Platform
from benchmarks.loop_workloads import Workload, list_workloads

WARM_UP = 15
REVERSED, WITHIN = 0.15, 15
Maker = Callable[[Workload, float, int], Controller]


def make_peak(workload: Workload, target: float, seed: int) -> Controller:
    """The processors for the highest rate, all the time."""
    needs = find_true_needs(workload.job, seed, 0.9 * target, float(workload.rates.mean()))
    return Static(needs.find(float(workload.rates.max())))


CONTROLLERS: Mapping[str, Maker] = {
    "oracle": lambda w, t, seed: Oracle.prepare(w.job, w.rates.tolist(), t, seed),
    "economic": lambda w, t, _: EconomicRule(w.job, t),
    "economic 95": lambda w, t, _: EconomicRule(w.job, t, 0.95),
    "economic 99": lambda w, t, _: EconomicRule(w.job, t, 0.99),
    "drs": lambda w, t, _: RulesOfDrs(w.job, t),
    "flink": lambda w, _t, _: Ds2(w.job),
    "ds2 0.42": lambda w, _t, _: Ds2(w.job, 0.42, 3, 0.1, 1, 3),
    "ds2 0.5": lambda w, _t, _: Ds2(w.job, 0.5, 3, 0.1, 1, 3),
    "ds2 0.6": lambda w, _t, _: Ds2(w.job, 0.6, 3, 0.1, 1, 3),
    "hpa 0.7": lambda w, _t, _: Hpa(w.job, 0.7),
    "hpa 0.5": lambda w, _t, _: Hpa(w.job, 0.5),
    "keda lag": lambda w, _t, _: KedaOnLag(w.job),
    "peak": make_peak,
}

GROUPS: Mapping[str, Callable[[Workload], bool]] = {
    "all": lambda w: not w.is_compressed,
    "tuned on": lambda w: w.tuned,
    "not tuned on": lambda w: not w.tuned and not w.is_compressed,
    "compressed": lambda w: w.is_compressed,
}
"""The groups of workloads that have a table each; compressed days, whose minutes are seconds, are counted alone."""


@dataclass(frozen=True)
class Row:
    """The result of one run."""

    late: float
    processor_minutes: float
    changes: int
    turns: int
    own_minutes: int
    milliseconds: float
    totals: Sequence[int]


def run(workload: Workload, target: float, maker: Maker, seed: int = 7) -> Row:
    """Runs a controller on a workload; the first quarter of an hour has static processors and does not count."""
    first = find_true_needs(workload.job, seed, 0.8 * target, float(workload.rates.mean()))
    platform = Platform(workload.job, list(first.find(float(workload.rates[0]))), seed)
    for _ in range(WARM_UP):
        platform.run_minute(float(workload.rates[0]))
    controller = maker(workload, target, seed)
    is_oracle = isinstance(controller, Oracle)
    spent = 0.0
    for rate in workload.rates:
        began = time.process_time()
        wanted = controller(platform.minutes[WARM_UP:] if is_oracle else platform.minutes)
        spent += time.process_time() - began
        platform.run_minute(float(rate), wanted)
    return judge(platform, target, spent)


def judge(platform: Platform, target: float, spent: float) -> Row:
    """The figures of a run."""
    minutes = platform.minutes[WARM_UP - 1 :]
    late = [one.seconds > target for one in minutes]
    totals = [sum(one.counts) for one in minutes]
    changes = [at for at in range(1, len(minutes)) if minutes[at].counts != minutes[at - 1].counts]
    own = set()
    for at in changes:
        for after in range(at, min(at + 5, len(minutes))):
            if late[at - 1] or not late[after]:
                break
            own.add(after)
    turns = 0
    rates = [one.load.external_rate for one in minutes]
    for before, after in pairwise(changes):
        up = totals[before] - totals[before - 1], totals[after] - totals[after - 1]
        if after - before <= WITHIN and up[0] * up[1] < 0:
            was, now = fmean(rates[max(0, before - 3) : before]), fmean(rates[max(0, after - 3) : after])
            moved = now / was - 1.0
            turns += not (moved * up[1] > 0 and abs(moved) > REVERSED)
    return Row(
        fmean(late[1:]),
        float(sum(totals[1:])),
        len(changes),
        turns,
        len(own),
        1e3 * spent / len(late),
        totals,
    )


def main(
    targets: Sequence[float] = (2.5,),
    names: Sequence[str] = (),
    only: Sequence[str] = (),
    *,
    is_long: bool = True,
) -> None:
    """Prints a table for each target: a row for each controller, and each workload's rows where they are asked for."""
    workloads = [w for w in list_workloads() if not only or w.name in only]
    for times in targets:
        print(f"\ntarget {times:g} T_L; {len(workloads)} workloads", flush=True)
        rows: dict[str, list[tuple[Workload, Row, Row]]] = {}
        for workload in workloads:
            target = times * workload.job.least_seconds
            best = run(workload, target, CONTROLLERS["oracle"])
            for name in ["oracle", *(n for n in (names or CONTROLLERS) if n != "oracle")]:
                row = best if name == "oracle" else run(workload, target, CONTROLLERS[name])
                rows.setdefault(name, []).append((workload, row, best))
                if is_long:
                    print(f"  {workload.name:<14}{write_row(name, [(workload, row, best)])}", flush=True)
        for title, is_wanted in GROUPS.items():
            print(f"{title:<14}  late mean  worst   cost  changes  turns    own     ms")
            for name, found in rows.items():
                some = [one for one in found if is_wanted(one[0])]
                if some:
                    print(f"{'':<2}{write_row(name, some)}", flush=True)


def write_row(name: str, found: Sequence[tuple[Workload, Row, Row]]) -> str:
    """A row of the table: means over workloads, and sums of changes per eight hours."""
    rows = [row for _, row, _ in found]
    eights = sum(len(workload.rates) for workload, _, _ in found) / 480.0
    cost = fmean([row.processor_minutes / best.processor_minutes for _, row, best in found])
    return (
        f"{name:<13}{fmean([one.late for one in rows]):>8.2%} {max(one.late for one in rows):>6.1%} {cost:>6.3f}"
        f" {sum(one.changes for one in rows) / eights:>7.1f} {sum(one.turns for one in rows):>6}"
        f" {sum(one.own_minutes for one in rows) / eights:>6.1f} {fmean([one.milliseconds for one in rows]):>6.1f}"
    )


if __name__ == "__main__":
    arguments = [one.split(",") for one in sys.argv[1:]] + [[], [], []]
    main(
        [float(one) for one in arguments[0]] or (2.5,),
        [n for n in arguments[1] if n],
        [n for n in arguments[2] if n],
    )
