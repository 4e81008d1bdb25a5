"""Calibrated estimates at another rate or with other processors than those that were measured.

One log measures a case, its waits included. The planner is asked for 0.8 and 1.2 times the rate, and for one and two
processors more, where every operator is used below 90%. The same roots and the same bursts are then simulated so: what
is compared is how far a calibration carries, not how much one run of bursts differs from another.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.truth_cases import QUEUEINGS, RATE, Case, draw_case, queue_case
from benchmarks.truth_estimates import count_roots, find_error, simulate_case
from benchmarks.truth_logs import WARM_UP, Measured, forget_inside
from benchmarks.truth_tables import Kind, Tables
from planner.calibration.calibrate import apply_factors, calibrate
from planner.calibration.modelled_waits import Interval
from planner.simulation.simulate import simulate
from planner.situations.situation import assess_counts, scale_load, survey_load
from planner.topology.flow import solve_visits
from planner.values import DEFAULT_MODEL, Estimate, Load

MOST_USED = 0.9
RATES, MORE = (0.8, 1.2), (1, 2)


class Question(NamedTuple):
    """A question to the planner: a factor of the rate, and additional processors of each operator."""

    title: str
    rate_factor: float
    more: Mapping[str, int]


def compare_calibrated(seed: int, count: int, tables: Tables) -> None:
    """`count` calm and as many bursty topologies, under every queueing."""
    for bursty in (False, True):
        for number in range(count):
            for queueing in QUEUEINGS:
                compare_case(draw_case(seed + number, bursty=bursty), queueing, tables)


def compare_case(drawn: Case, queueing: str, tables: Tables) -> None:
    """The errors of one case for all questions, with and without calibration."""
    case = queue_case(drawn, queueing)
    measured = simulate_case(case)
    plain = add_waits(measured)
    calibrated = calibrate_by_itself(case, plain)
    carried = calibrate_by_itself(case, forget_inside(plain, [one.operator for one in case.topology.entries]))
    kind = Kind(queueing, case.input)
    for question in list_questions(case, measured):
        asked = change_case(drawn, queueing, question)
        if find_busiest(asked) >= MOST_USED:
            continue
        truth = simulate(
            asked.topology,
            asked.load,
            roots=count_roots(case),
            seed=case.seed % 2**31,
            arrivals=asked.arrivals,
            services=asked.services,
            warm_up_share=WARM_UP,
        ).total.mean_seconds
        for name, load in (
            ("as modelled", plain),
            ("calibrated", calibrated),
            ("calibrated, bursts carried on anew", run_elsewhere(carried, asked)),
        ):
            error = find_error(answer_question(asked, load, question), truth)
            tables.add(f"E[T] {question.title}, {name}", kind, error)
            tables.add(f"E[T] at another rate or k, {name}", Kind("all queueings", case.input), error)


def add_waits(measured: Measured) -> Load:
    """The load with the measured wait of each operator."""
    pairs = zip(measured.load.operators.items(), measured.waits, strict=True)
    operators = {name: one._replace(measured_wait_seconds=wait) for (name, one), wait in pairs}
    return replace(measured.load, operators=operators)


def calibrate_by_itself(case: Case, load: Load) -> Load:
    """The load with the calibration factors from its own measured waits."""
    seconds = (1.0 - WARM_UP) * count_roots(case) / RATE
    found = calibrate(case.topology, load, [Interval(load, seconds=seconds)], DEFAULT_MODEL)
    return apply_factors(load, found)


def run_elsewhere(load: Load, asked: Case) -> Load:
    """The load as if the processors asked for ran: what they send downstream follows them, not those measured.

    Answers of the planner do not do this (docs/decisions/queues-per-instance.md); the table says what that costs.
    """
    operators = {
        name: one._replace(processors=asked.load.operators[name].processors)
        for name, one in load.operators.items()
    }
    return replace(load, operators=operators)


def list_questions(case: Case, measured: Measured) -> Iterator[Question]:
    """The questions of a case: other rates, more processors where the total wait is longest, and more everywhere."""
    names = list(case.load.operators)
    waits = np.array(solve_visits(case.topology)) * measured.waits
    longest = names[int(np.argmax(waits))]
    for factor in RATES:
        yield Question("at 0.8 and 1.2 times the rate", factor, dict.fromkeys(names, 0))
    for more in MORE:
        yield Question(
            "with one and two more where tuples wait longest", 1.0, dict.fromkeys(names, 0) | {longest: more}
        )
        yield Question("with one and two more everywhere", 1.0, dict.fromkeys(names, more))


def change_case(drawn: Case, queueing: str, question: Question) -> Case:
    """The case at the rate and with the processors of a question; keys are hashed again to the new instances."""
    operators = {
        name: one._replace(processors=(one.processors or 0) + question.more[name])
        for name, one in drawn.load.operators.items()
    }
    load = Load(drawn.load.external_rate * question.rate_factor, operators)
    return queue_case(drawn._replace(load=load), queueing)


def find_busiest(case: Case) -> float:
    """The utilisation of the busiest operator, or of the busiest instance where keys are skewed."""
    used = []
    for visits, one in zip(solve_visits(case.topology), case.load.operators.values(), strict=True):
        share = one.instances[0].share if one.instances else 1.0 / (one.processors or 1)
        used.append(case.load.external_rate * visits * share / (one.service_rate or 1.0))
    return max(used)


def answer_question(asked: Case, load: Load, question: Question) -> Estimate:
    """The planner's answer from the measured load."""
    situation = survey_load(asked.topology, load, DEFAULT_MODEL)
    counts = [one.processors or 0 for one in asked.load.operators.values()]
    return assess_counts(scale_load(situation, load.external_rate * question.rate_factor), counts)
