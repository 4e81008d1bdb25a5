"""A simulated platform that applies, half applies or ignores decisions, and a reading of its history by brute force.

The platform has an E[T] of its own: a queue that fills where more comes than the processors serve. Nothing of it is
the planner's.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx

from tests.app.decision_calls import ENOUGH, RATES, START, at, decide

VISITS = {"generator": 1.0, "detector": 40.0 / 9.0, "reporter": 2.0 / 9.0}
"""How often one external tuple reaches each operator of FPD."""


@dataclass
class Platform:
    """Runs processors minute by minute; `waiting` are external tuples that have piled up."""

    draw: random.Random
    counts: dict[str, int] = field(default_factory=lambda: dict(ENOUGH))
    waiting: float = 0.0
    planned: tuple[int, dict[str, int]] | None = None
    snapshots: list[dict[str, Any]] = field(default_factory=list)

    def live(self, minute: int, rate: float) -> dict[str, Any] | None:
        """One minute; what was measured of it, or nothing."""
        if self.planned is not None and minute >= self.planned[0]:
            self.counts, self.planned = self.planned[1], None
        most = min(self.counts[name] * RATES[name] / visits for name, visits in VISITS.items())
        self.waiting = min(max(0.0, self.waiting + 60.0 * (rate - most)), 5.0 * most)
        busy = min(0.98, rate / most)
        sojourn = 0.04 + 0.01 * busy / (1.0 - busy) + self.waiting / most
        sojourn *= self.draw.lognormvariate(0.0, 0.1)
        chance = self.draw.random()
        if chance < 0.05:
            return None
        operators = {
            name: {"service_rate": RATES[name], "processors": count} for name, count in self.counts.items()
        }
        if chance < 0.1:
            del operators["reporter"]["processors"]
        seen = {"observed_at": at(minute), "external_rate": rate, "operators": operators}
        if not 0.1 < chance < 0.15:
            seen["measured_sojourn_seconds"] = sojourn
        if 0.15 < chance < 0.2:
            seen["covered_seconds"] = 30.0
        self.snapshots.append(seen)
        return seen

    def take(self, minute: int, decision: Mapping[str, Any]) -> None:
        """Applies a change now or later, in part, or not at all."""
        if decision["action"] == "hold":
            return
        wanted = dict(decision["processors"]["recommended"])
        fate = self.draw.random()
        if fate < 0.6:
            self.planned = (minute + self.draw.choice([0, 0, 1, 3]), wanted)
        elif fate < 0.8:
            name = self.draw.choice(sorted(wanted))
            self.planned = (minute, {**self.counts, name: wanted[name]})


def simulate(client: httpx.Client, name: str, seed: int, minutes: int) -> list[dict[str, Any]]:
    """Stores a history with a decision every few minutes; its snapshots."""
    draw = random.Random(seed)
    platform = Platform(draw)
    rate, unsent = 320.0, []
    for minute in range(minutes):
        rate = min(max(rate * draw.lognormvariate(0.0, 0.08), 80.0), 700.0)
        seen = platform.live(minute, rate)
        unsent += [] if seen is None else [seen]
        if minute % 4 == 3 and says_all(seen):
            stored = client.post(f"/v1/topologies/{name}/snapshots", json=unsent)
            assert stored.status_code == 201, stored.text
            unsent = []
            platform.take(minute + 1, decide(client, name, minute + 1))
    return platform.snapshots[: len(platform.snapshots) - len(unsent)]


def says_all(seen: Mapping[str, Any] | None) -> bool:
    """Whether a snapshot is whole and says every operator's processors."""
    return (
        seen is not None
        and "covered_seconds" not in seen
        and all("processors" in one for one in seen["operators"].values())
    )


@dataclass(frozen=True)
class Reading:
    """What became of one decision, read off a list of snapshots."""

    applied_at: str | None
    measured: float | None
    kept: bool | None
    missed: int


def read_history(
    decision: Mapping[str, Any], others: Sequence[Mapping[str, Any]], snapshots: Sequence[Mapping[str, Any]]
) -> Reading:
    """Walks over the minutes one by one."""
    wanted = decision["processors"]["recommended"]
    minute = count_minutes(decision["decided_for"])
    changes = [count_minutes(one["decided_for"]) for one in others if one["action"] != "hold"]
    by_minute = {count_minutes(one["observed_at"]): one for one in snapshots}
    begin = minute
    if decision["action"] != "hold":
        later = [one for one in changes if one > minute]
        ends = min(later) if later else max(by_minute) + 1
        ran = [
            one for one in range(minute, ends) if one in by_minute and name_counts(by_minute[one]) == wanted
        ]
        if not ran:
            return Reading(None, None, None, 0)
        begin = ran[0]
    length = round(decision["policy"]["cooldown_seconds"] / 60.0)
    target, counted, is_whole = decision["policy"]["goal"]["t_max_seconds"], [], True
    # Judged until the end of its horizon; a change that came after that, for as long again.
    for one in range(begin, minute + length if begin < minute + length else begin + length):
        seen = by_minute.get(one)
        counts = name_counts(seen) if seen else {}
        if any(count is not None and count != wanted[name] for name, count in counts.items()):
            is_whole = False
            break
        if seen is None or None in counts.values() or not is_measured(seen):
            is_whole = False
            continue
        counted.append((seen["external_rate"], seen["measured_sojourn_seconds"]))
    missed = sum(sojourn > target for _, sojourn in counted)
    total = sum(rate for rate, _ in counted)
    return Reading(
        at(begin) if decision["action"] != "hold" else None,
        sum(rate * sojourn for rate, sojourn in counted) / total if counted else None,
        False if missed else True if is_whole else None,
        missed,
    )


def name_counts(seen: Mapping[str, Any]) -> dict[str, int | None]:
    """Processors by operator; None where the snapshot does not say."""
    return {name: one.get("processors") for name, one in seen["operators"].items()}


def is_measured(seen: Mapping[str, Any]) -> bool:
    """Whether E[T] was measured over the whole minute."""
    return "measured_sojourn_seconds" in seen and seen.get("covered_seconds", 60.0) >= 57.0


def count_minutes(text: str) -> int:
    """Minutes since the history began."""
    return round((datetime.fromisoformat(text) - START) / timedelta(minutes=1))
