"""/v1/topologies/{name}/what-if: what another load, budget or target would change for a topology.

The stored data are read once, and nothing is stored. The answer is JSON or a picture.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field
from sqlalchemy.orm import Session

from app.database.connections.transactions import SessionDep
from app.deciding.advised import find_wanted
from app.deciding.documents import unfold_row
from app.deciding.node_losses import lose_node
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import find_body
from app.deciding.standing import find_standing
from app.load.bodies.answers import Basis, DiagnosticAnswer, EstimateAnswer, to_estimate_answer
from app.load.bodies.terms import KMax, Measured, Smoothing, TMax
from app.load.measurements.freshness import describe_age, find_data_state, withhold
from app.load.measurements.load import Gathered, gather_load
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.planning.gates.schemas import GateAnswer, to_gate_answer
from app.rendering.charts import DOTTED, SOLID, Chart, Line, Panel, Sign, Upright, draw_chart
from app.rendering.picture_files import write_picture
from app.settings import Settings
from app.web.callers.security import may_read
from app.web.fields import Answer, OperatorName, TopologyName, show_example
from app.web.negotiation import FORMS, Accept, answer_in_form, choose_form
from app.web.observability import time_planner
from app.web.overload.admission import computes
from app.web.problems.documented_problems import BODY, STORED_CALL
from app.web.problems.error_pointers import STORED, blaming_what_is_stored
from app.web.routing import SettingsDep, StrictJsonRoute, declare
from planner.decisions.policy import bound_topology
from planner.decisions.wording import DecidedNumber, describe_difference, describe_other_terms
from planner.gates.what_if import Explored, WhatIfTerms, explore
from planner.values import Plan
from planner.wording import write_count, write_counted, write_number, write_rate, write_seconds


class WhatIfRequest(Measured):
    """Another load, budget or target to try on a topology; nothing is stored."""

    model_config = show_example({"load_factor": 1.5, "t_max_seconds": 0.2})

    load_factor: Annotated[
        float, Field(ge=0, le=1e6, description="The external rate, as a multiple of the measured one.")
    ] = 1.0
    smoothing: Annotated[
        Smoothing | None,
        Field(description="Left out: the stored policy's smoothing, else the newest snapshot."),
    ] = None
    k_max: KMax | None = None
    t_max_seconds: TMax | None = None
    failing_node: Annotated[OperatorName | None, Field(description="What runs is without it.")] = None


class PlannedAnswer(EstimateAnswer):
    """The allocation with the fewest processors within t_max_seconds, or the best split of k_max processors."""

    objective: Literal["min-processors", "min-latency"]
    processors: dict[str, int]
    optimal: bool


class FrontierPointAnswer(Answer):
    """The best split of one total number of processors over the operators."""

    processors_total: int
    expected_sojourn_seconds: float
    operator: Annotated[
        str | None,
        Field(
            description="The operator that gained most since the last point; null: the first point, with the "
            "fewest processors that keep up."
        ),
    ]


class WhatIfAnswer(Answer):
    """The running and the planned allocation, whether the running one would pass, and the frontier between them."""

    load_factor: float
    external_rate: float
    t_max_seconds: Annotated[float | None, Field(description="As asked, else the policy's.")]
    k_max: Annotated[
        int | None,
        Field(description="The budget of the request, else of the policy, else the running processors."),
    ]
    current: Annotated[
        EstimateAnswer | None,
        Field(description="null: the snapshots do not give the running processors of every operator."),
    ]
    planned: Annotated[PlannedAnswer | None, Field(description="null: a diagnostic gives the reason.")]
    gate: Annotated[
        GateAnswer | None, Field(description="The verdict on the running processors; null if `current` is.")
    ]
    frontier: Annotated[
        list[FrontierPointAnswer],
        Field(description="About 200 points at most; empty: the bounds allow none."),
    ]
    diagnostics: list[DiagnosticAnswer]
    basis: Basis


UNCORRECTED = (
    "The decision expects an E[T] of {corrected} for its {processors} at {rate}: that is the estimate of {estimated}, "
    "corrected by measured waits. No E[T] of this what-if is corrected by them: each is an estimate."
)
OF_POLICY = {"smoothing", "model", "calibrate"}
PLACES = STORED | {"external_rate": "/load_factor"}


def answer_what_if(session: Session, name: str, body: WhatIfRequest, settings: Settings) -> WhatIfAnswer:
    """Computes what another load, budget or target would change for a stored topology."""
    stored = find_topology(session, name)
    policy = find_body(session, stored)
    asked = fill_in(body, policy)
    found = gather_load(session, stored, asked, settings)
    terms = WhatIfTerms(asked.load_factor, asked.t_max_seconds, asked.k_max)
    topology = found.topology if policy is None else bound_topology(found.topology, policy.to_value())
    with time_planner("what_if"), blaming_what_is_stored(name, PLACES):
        explored = explore(topology, lose_node(found, asked.failing_node), terms, asked.model)
    is_same = (body.load_factor, body.t_max_seconds, body.k_max) == (1.0, None, None)
    notes = compare_decision(session, stored, explored, terms, is_same=is_same)
    return to_what_if_answer(explored, terms, found, [*describe_age(session, found), *notes])


def fill_in(body: WhatIfRequest, policy: PolicyBody | None) -> WhatIfRequest:
    """Completes a request from the policy: smoothing, model and calibration, and target and budget if both are absent.

    At a factor of 1, the load is then the load of a decision.
    """
    if policy is None:
        return body
    terms = {name: getattr(policy, name) for name in OF_POLICY - body.model_fields_set}
    if body.t_max_seconds is None and body.k_max is None:
        terms |= {"t_max_seconds": policy.goal.find_t_max_seconds(), "k_max": policy.goal.k_max}
    return body.model_copy(update=terms)


def compare_decision(
    session: Session, stored: StoredTopology, explored: Explored, terms: WhatIfTerms, *, is_same: bool
) -> list[DiagnosticAnswer]:
    """Returns a diagnostic if the standing decision recommends another number of processors than the plan does."""
    row, plan = find_standing(session, stored), explored.planned
    if row is None or (is_same and (plan is None or plan.objective != "min-processors")):
        return []
    if withhold(stored.name, find_data_state(session, stored), row.decided_for) is not None:
        return []
    answer = unfold_row(session, row)
    sized = answer.get("sized_for") or {"source": "smoothed", "external_rate": answer["external_rate"]}
    wanted = find_wanted(session, stored, row.action, row.decided_for, answer)
    waits = wanted != answer["processors"]["recommended"]
    codes = [one["code"] for one in [*answer["reasons"], *answer["constraints"]]]
    decided = DecidedNumber(
        sum(wanted.values()),
        sized["external_rate"],
        (sized["source"], *(["last-change-unseen"] if waits else codes)),
        answer.get("needed_total"),
        PolicyBody.model_validate(answer["policy"]).to_value().limit,
    )
    detail = describe_other_terms(explored.external_rate, terms.t_max_seconds, decided)
    if is_same and plan is not None:
        detail = describe_difference(plan.estimate.processors_total, explored.external_rate, decided)
    notes = [DiagnosticAnswer(code="differs-from-decision", detail=detail)] if detail else []
    estimated, corrected = answer["expected_sojourn_seconds"], answer.get("corrected_sojourn_seconds")
    if estimated is not None and corrected is not None and not waits:
        times = {"corrected": write_seconds(corrected), "estimated": write_seconds(estimated)}
        runs, rate = write_counted(decided.total, "processor"), write_rate(answer["external_rate"])
        said = UNCORRECTED.format(processors=runs, rate=rate, **times)
        notes.append(DiagnosticAnswer(code="waits-not-corrected", detail=said))
    return notes


def to_what_if_answer(
    explored: Explored, terms: WhatIfTerms, found: Gathered, aged: Sequence[DiagnosticAnswer]
) -> WhatIfAnswer:
    """Turns the planner's findings into the answer, with the terms and the stored data behind the findings."""
    said = [DiagnosticAnswer.model_validate(one) for one in found.diagnostics + explored.diagnostics]
    return WhatIfAnswer.model_validate(
        {
            "load_factor": terms.load_factor,
            "external_rate": explored.external_rate,
            "t_max_seconds": terms.t_max_seconds,
            "k_max": explored.k_max,
            "current": None if explored.current is None else to_estimate_answer(explored.current),
            "planned": None if explored.planned is None else to_planned(explored.planned),
            "gate": None if explored.verdict is None else to_gate_answer(explored.verdict),
            "frontier": explored.frontier,
            "diagnostics": [*said, *aged],
            "basis": found.basis,
        }
    )


def to_planned(plan: Plan) -> dict[str, Any]:
    """Returns the fields of the plan as JSON, without the plan's explanation."""
    return plan.estimate._asdict() | {
        "objective": plan.objective,
        "processors": plan.processors,
        "optimal": plan.optimal,
    }


def draw_what_if(answer: WhatIfAnswer, form: str) -> bytes:
    """Draws E[T] of the best split over the number of processors, with the target, what runs and what is planned."""
    frontier = answer.frontier
    lines = [
        Line(
            "the best split of each number of processors",
            [one.expected_sojourn_seconds for one in frontier],
            SOLID,
        )
    ]
    cap = None
    if answer.t_max_seconds is not None:
        lines.append(Line("target", [answer.t_max_seconds] * len(frontier), DOTTED))
        cap = 4.0 * answer.t_max_seconds
    uprights = mark_processors(answer)
    chart = Chart(
        f"{answer.basis.topology}: E[T] over processors",
        say_terms(answer),
        [one.processors_total for one in frontier],
        [Panel("E[T]", lines, write_seconds, cap=cap, uprights=uprights, signs=mark_points(frontier))],
        "processors",
        is_time=False,
        reach=[one.x for one in uprights],
        nothing="No number of processors within the bounds keeps every operator up.",
    )
    return write_picture(draw_chart(chart), form)


def mark_processors(answer: WhatIfAnswer) -> list[Upright]:
    """Returns upright lines at the running and at the planned number of processors, labelled with their E[T]."""
    marks = []
    if answer.current is not None:
        total, time = answer.current.processors_total, answer.current.expected_sojourn_seconds
        said = write_seconds(time) if answer.current.stable else "cannot keep up"
        marks.append(Upright(total, f"{write_count(total)} run: {said}"))
    if answer.planned is not None:
        total, time = answer.planned.processors_total, answer.planned.expected_sojourn_seconds
        marks.append(Upright(total, f"{write_count(total)} planned: {write_seconds(time)}"))
    return marks


def mark_points(frontier: Sequence[FrontierPointAnswer]) -> list[Sign]:
    """Returns a dot for each point of the frontier, which names the operator that gained a processor."""
    signs = []
    for one in frontier:
        gained = "the fewest that keep up" if one.operator is None else f"{one.operator} gained most"
        words = (
            f"{write_count(one.processors_total)}: {write_seconds(one.expected_sojourn_seconds)}, {gained}"
        )
        signs.append(Sign(one.processors_total, one.expected_sojourn_seconds, "dot", words))
    return signs


def say_terms(answer: WhatIfAnswer) -> list[str]:
    """Says in lines what was asked, whether the running processors would pass, and why a result is missing."""
    terms = [f"load × {write_number(answer.load_factor)}, {write_rate(answer.external_rate)}"]
    if answer.t_max_seconds is not None:
        terms.append(f"E[T] at most {write_seconds(answer.t_max_seconds)}")
    if answer.k_max is not None:
        terms.append(f"at most {write_count(answer.k_max)} processors")
    lines = ["; ".join(terms)]
    if answer.gate is not None:
        lines[0] += f"; what runs {'passes' if answer.gate.passed else 'fails'}"
    missing = {"running-unknown", "no-plan", "no-frontier"}
    return lines + [one.detail for one in answer.diagnostics if one.code in missing]


router = APIRouter(prefix="/v1/topologies/{name}/what-if", tags=["plans"], route_class=StrictJsonRoute)


@router.post(
    "",
    response_model=WhatIfAnswer,
    **declare(may_read, "Ask what if", *STORED_CALL, "invalid-load", *BODY, pictures=True),
)
@computes
def ask_what_if(
    name: TopologyName,
    session: SessionDep,
    settings: SettingsDep,
    body: WhatIfRequest | None = None,
    accept: Accept = None,
) -> Response:
    """The running and the planned allocation, whether the running one would pass, and the frontier; a reading key
    is enough.

    JSON, PNG or SVG, by `Accept`.
    """
    form = choose_form(accept, FORMS)
    return answer_in_form(
        answer_what_if(session, name, body or WhatIfRequest(), settings), form, draw_what_if
    )
