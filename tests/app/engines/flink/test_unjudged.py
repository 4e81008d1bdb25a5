"""Operators that busy time cannot judge: told by name, or because they are idle and hold their senders back."""

import copy

import pytest

from tests.app.engines.flink.recorded import STEADY, Json, codes, later, load, read, vertex

BRAKED = STEADY | {"parse": (40.0, 80.0, 0.2)}


def name_parse(name: str) -> list[Json]:
    """Two samples of the job, in which the operator parse has another name."""
    job = load("job")
    samples = [job, later(job, 20.0, **STEADY)]
    for one in samples:
        vertex(one, "parse")["name"] = name
    return samples


@pytest.mark.parametrize(
    ("name", "code", "is_unjudged"),
    [
        ("async wait operator", "asynchronous-calls", True),
        ("Window(TumblingProcessingTimeWindows(2000, 0), ProcessingTimeTrigger)", "windows", False),
        ("LocalWindowAggregate[4]", "windows", False),
        ("KeyedProcess", "timers", False),
        ("out: Writer", "batching-sink", False),
        ("batching out", "batching-sink", True),
    ],
)
def test_an_operator_is_told_by_its_name(name: str, code: str, is_unjudged: bool):  # noqa: FBT001
    reading = read(name_parse(name))
    (said,) = [one for one in reading.diagnostics if one.code == code]
    assert said.operators == (name,)
    assert (reading.loads[-1].operators[name].unjudged is True) == is_unjudged


def test_plain_operators_are_judged_by_busy_time():
    reading = read(name_parse("parse"))
    assert not {"asynchronous-calls", "windows", "timers", "batching-sink", "idle-but-full"} & codes(reading)
    assert all(one.unjudged is None for one in reading.loads[-1].operators.values())


def block_parse(samples: list[Json], *, busy: float) -> list[Json]:
    """The samples with parse blocked by score for four fifths of the time, and score busy for a part of it."""
    first, second = copy.deepcopy(samples)
    seconds = (second["now"] - first["now"]) / 1000.0
    for name, metric, part in (("parse", "backpressured", 0.8), ("score", "busy", busy)):
        metrics, before = vertex(second, name)["metrics"], vertex(first, name)["metrics"]
        whole = 1000.0 * seconds * vertex(second, name)["parallelism"]
        for each in ("busy", "backpressured", "idle"):
            metrics[f"accumulated-{each}-time"] = before[f"accumulated-{each}-time"]
        metrics[f"accumulated-{metric}-time"] += round(part * whole)
        metrics["accumulated-idle-time"] += round((1.0 - part) * whole)
    return [first, second]


def test_an_idle_operator_that_holds_its_senders_back_is_full_at_what_it_serves():
    job = load("job")
    samples = [job, later(job, 20.0, **STEADY)]
    reading = read(block_parse(samples, busy=0.1))
    (said,) = [one for one in reading.diagnostics if one.code == "idle-but-full"]
    assert said.operators == ("score",)
    assert "idle for 90% of the time" in said.detail
    score = reading.loads[-1].operators["score"]
    assert score.unjudged is True
    assert score.service_rate is not None
    assert score.processors is not None
    assert score.service_rate * score.processors == pytest.approx(80.0, rel=0.02)
    assert "idle-but-full" not in codes(read(block_parse(samples, busy=0.99)))
