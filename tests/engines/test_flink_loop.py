"""The loop closed on a real Flink: one job, one bridge with --apply, and what happens to them, in this order."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.app.processes import Service
from tests.app.processes import start as start_service
from tests.engines.bridge_process import BridgeProcess, start_bridge
from tests.engines.flink_cluster import find_free_port, wait_for
from tests.engines.flink_jobs import Job, JobPlan, Operator, StartJob
from tests.engines.row_simulation import find_fewest

OPERATORS = (Operator("parse", 0.020, 4), Operator("score", 0.030, 5), Operator("write", 0.010, 2))
LOW, HIGH, T_MAX = 60.0, 95.0, 0.2
"""At either rate the fewest processors take two thirds of T_MAX, and one fewer takes half more than T_MAX: what is
right hangs neither on the noise of 20 s of measurement nor on the load of the machine."""
POLICY = {
    "goal": {"t_max_seconds": T_MAX, "t_min_seconds": 0.1},
    "smoothing": {"kind": "window", "size": 4},
    "cooldown_seconds": 15,
    "trigger": 0.1,
    "least_gain": 0.15,  # below it, noise of 20 s of measurement would move processors between operators
}
STEP_SECONDS = 120.0
WARM_TUPLES = 2000  # services are slower, and noisier, until Java has compiled what runs often
HOLDS = 4  # decisions to hold, one after the other: the smoothed rates have seen the step
MEASURED_LOOKS, CONSTANT_LOOKS = 8, 18


@dataclass
class Scene:
    """The job, the bridge, and the service, which is started again in the middle."""

    job: Job
    bridge: BridgeProcess
    service: Service
    arguments: list[str]
    settings: dict[str, str]

    def is_settled(self, told: int) -> bool:
        """Whether the newest of the events after the first `told` are decisions to hold."""
        kinds = [
            event.get("next", event["event"])
            for event in self.bridge.events[told:]
            if event["event"] in {"decided", "applied", "waiting", "discarded", "rolled-back", "failed"}
        ]
        return kinds[-HOLDS:] == ["hold"] * HOLDS

    def settle(self) -> int:
        """Waits until nothing changes any more; returns how many changes it took."""
        told, changes = len(self.bridge.events), self.bridge.count("applied")
        wait_for(
            lambda: self.is_settled(told),
            f"the bridge holds {HOLDS} times: {self.bridge.tell_last()}",
            STEP_SECONDS,
        )
        return self.bridge.count("applied") - changes

    def measure(self, looks: int) -> float:
        """E[T] over so many intervals of the bridge, by the job's own clock."""
        before = self.job.count()
        self.bridge.wait_for_more(["decided", "discarded", "not-judged"], looks, 10.0 * looks)
        after = self.job.count()
        tallies = [after[name].minus(before[name]) for name in before]
        return sum(tally.sojourn_seconds for tally in tallies) / tallies[0].services


@pytest.fixture(scope="module")
def scene(start: StartJob, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """All of it, with more processors than needed at first."""
    arguments, settings = ["--port", str(find_free_port())], {"database_url": database_url}
    service = start_service(arguments, **settings)
    policy = tmp_path_factory.mktemp("loop") / "policy.json"
    policy.write_text(json.dumps(POLICY))
    job = start(JobPlan("loop", "rebalance", OPERATORS, LOW))
    wait_for(
        lambda: all(one.services >= WARM_TUPLES for one in job.count().values()), "the job has warmed up"
    )
    scene = Scene(job, start_bridge(job, service.url, policy), service, arguments, settings)
    yield scene
    assert scene.bridge.stop() == 0
    scene.service.stop()


def check_step(scene: Scene, rate: float, report: Callable[[str], None], changed: int = 0) -> None:
    """Few changes, few processors, and E[T] within the target; `changed`: changes before it is looked at."""
    changes = changed + scene.settle()
    running = scene.job.read_parallelism()
    fewest = find_fewest(OPERATORS, rate, T_MAX, 20)
    measured = scene.measure(MEASURED_LOOKS)
    promised = [event for event in scene.bridge.events if event["event"] == "decided"][-1]
    report(
        f"loop: {rate:5.0f}/s, {changes} changes, processors {'+'.join(map(str, running.values()))} (fewest "
        f"{'+'.join(map(str, fewest))}), E[T] measured {measured * 1e3:.1f} ms, promised "
        f"{promised['expected_sojourn_seconds'] * 1e3:.1f} ms, t_max {T_MAX * 1e3:.0f} ms"
    )
    told = scene.bridge.tell_last()
    assert changes <= 2, told
    assert all(count <= least + 1 for count, least in zip(running.values(), fewest, strict=True)), told
    assert measured <= T_MAX, told


def follow_step(scene: Scene, rate: float, report: Callable[[str], None]) -> None:
    """A new rate, and what becomes of it."""
    before = scene.bridge.count("applied")
    scene.job.set_rate(rate)
    wait_for(lambda: scene.bridge.count("applied") > before, "the bridge follows the step", STEP_SECONDS)
    check_step(scene, rate, report, 1)


def test_processors_that_are_not_needed_are_given_up(scene: Scene, report: Callable[[str], None]) -> None:
    check_step(scene, LOW, report)


def test_a_short_burst_changes_nothing(scene: Scene) -> None:
    changes = scene.bridge.count("applied")
    scene.job.set_rate(3.0 * LOW)
    time.sleep(0.8)  # the length of the burst
    scene.job.set_rate(LOW)
    scene.bridge.wait_for_more(["decided"], 5, 60.0)
    assert scene.bridge.count("applied") == changes, scene.bridge.tell_last()


def test_a_step_up_is_followed(scene: Scene, report: Callable[[str], None]) -> None:
    follow_step(scene, HIGH, report)


def test_the_service_may_be_started_again(scene: Scene) -> None:
    changes, away = (scene.bridge.count(kind) for kind in ("applied", "away"))
    assert scene.service.stop() == 0
    wait_for(lambda: scene.bridge.count("away") > away, "the bridge tells that the service is away")
    scene.service = start_service(scene.arguments, **scene.settings)
    scene.bridge.wait_for_more(["back"], 1, 60.0)
    scene.bridge.wait_for_more(["decided"], 2, 60.0)
    assert scene.bridge.count("applied") == changes, scene.bridge.tell_last()


def test_a_step_down_is_followed(scene: Scene, report: Callable[[str], None]) -> None:
    follow_step(scene, LOW, report)


def test_a_job_that_dies_and_comes_back_keeps_its_processors(scene: Scene) -> None:
    running = scene.job.read_parallelism()
    scene.job.set_rate("die")
    wait_for(lambda: not scene.job.is_running(), "the job has died")
    scene.job.set_rate(LOW)
    wait_for(scene.job.is_running, "the job is back")
    scene.bridge.wait_for_more(["decided"], 2, 90.0)
    assert scene.job.read_parallelism() == running, scene.bridge.tell_last()


def test_a_constant_load_changes_nothing(scene: Scene, report: Callable[[str], None]) -> None:
    changes = scene.bridge.count("applied")
    measured = scene.measure(CONSTANT_LOOKS)
    report(f"loop: constant {LOW:.0f}/s over {CONSTANT_LOOKS} looks: E[T] measured {measured * 1e3:.1f} ms")
    assert scene.bridge.count("applied") == changes, scene.bridge.tell_last()
    assert measured <= T_MAX
