"""Loads and histories for the tests of the economics room: a row of two operators, served minute by minute."""

from collections.abc import Sequence

from planner.economics.history import MINUTE, History, SeenInterval
from planner.economics.needs import Needs
from planner.situations.situation import Situation, survey_load
from planner.values import DEFAULT_MODEL, Edge, Load, Operator, OperatorLoad, Topology

ROW = Topology((Operator("parse"), Operator("score")), (Edge("parse", "score"),))
TARGET = 0.6
"""Seconds; without waits a tuple takes 0.25 seconds."""


def load_row(rate: float, counts: Sequence[int] = (4, 6)) -> Load:
    operators = {
        "parse": OperatorLoad(10.0, rate, 1.0, 1.0, counts[0]),
        "score": OperatorLoad(20.0 / 3.0, rate, 1.0, 1.0, counts[1]),
    }
    return Load(rate, operators)


def survey_row(rate: float, counts: Sequence[int] = (4, 6)) -> Situation:
    return survey_load(ROW, load_row(rate, counts), DEFAULT_MODEL)


def need_row(rate: float = 20.0, k_max: int | None = None) -> Needs:
    return Needs(survey_row(rate), TARGET, k_max)


def see_row(  # noqa: PLR0917 - what a history is made of
    rates: Sequence[float],
    counts: Sequence[int] = (4, 6),
    seconds: float | None = 0.4,
    step: float = 1.0,
    backlog: tuple[float, ...] | None = None,
    unit_seconds: float = MINUTE,
) -> History:
    seen = [SeenInterval(rate, tuple(counts), seconds, backlog) for rate in rates]
    return History(seen, step, TARGET, unit_seconds=unit_seconds)
