"""A day lived through with decisions: each minute simulated tuple by tuple, measured, forecast and decided about."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from planner.calibration.modelled_waits import Interval
from planner.decisions.compose import Decision
from planner.decisions.horizon import RateHistory, look_out
from planner.decisions.policy import LastChange, Policy
from planner.topology.smoothing import smooth_window
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from planner.workloads.series import Measurement
from tests.planner.decisions.asked import decide
from tests.planner.queues_simulated import Chain

STEP = 60.0
PAIR = Topology((Operator("parse"), Operator("score")), (Edge("parse", "score"),), (Entry("parse"),))
SERVICE = {"parse": 4.0, "score": 5.0}
BEGIN_WITH = (6, 5)
SMOOTHED = 3
FEWEST_KNOWN, MOST_KNOWN = 30, 300


@dataclass
class Day:
    """How it went: minutes measured above the target, the mean number of processors, and the changes as they came."""

    missed: int = 0
    processors: float = 0.0
    changes: list[tuple[int, str, int]] = field(default_factory=list)


def remember(rates: Sequence[float]) -> RateHistory:
    return RateHistory([Measurement(STEP * i, rate) for i, rate in enumerate(rates)], STEP)


def live_through(rates: Sequence[float], policy: Policy) -> Day:
    """Every minute is simulated, measured and decided about; what is decided runs at once."""
    job = Chain([1.0 / mu for mu in SERVICE.values()], BEGIN_WITH, own=False, seed=9)
    loads: list[Load] = []
    needed: list[int] = []
    changed: tuple[int, float] | None = None
    day = Day()
    for minute, rate in enumerate(rates):
        arrived, measured = job.run(rate, STEP)
        day.missed += measured > (policy.t_max_seconds or 0.0)
        day.processors += sum(job.servers) / len(rates)
        operators = {
            name: OperatorLoad(mu, processors=count)
            for (name, mu), count in zip(SERVICE.items(), job.servers, strict=True)
        }
        loads.append(Load(arrived, operators, measured))
        last = LastChange((minute - changed[0]) * STEP, changed[1]) if changed else None
        decision = decide_on(loads, job.servers, policy, last, needed)
        needed.append(decision.needed)
        if decision.action != "hold":
            changed = (minute, decision.current.external_rate)
            day.changes.append((minute, decision.action, decision.recommended.processors_total))
            job.resize([one.processors for one in decision.recommended.operators])
    return day


def decide_on(
    loads: Sequence[Load],
    running: Sequence[int],
    policy: Policy,
    last: LastChange | None,
    needed: Sequence[int],
) -> Decision:
    """As the service decides: smoothed, with the rate ahead, and with what earlier decisions needed."""
    newest = loads[-SMOOTHED:]
    smoothed, _ = smooth_window(newest, SMOOTHED)
    upper = None
    if policy.is_looking_ahead and len(loads) >= FEWEST_KNOWN:
        upper = look_out(remember([one.external_rate for one in loads[-MOST_KNOWN:]]), policy).upper_rate
    window = int(policy.scale_down_window_seconds / STEP)
    return decide(
        PAIR,
        smoothed,
        running,
        policy,
        last,
        newest_rate=loads[-1].external_rate,
        rate_ahead=upper,
        intervals=[Interval(one) for one in newest],
        wanted_before=max(needed[-window:], default=None) if window else None,
    )
