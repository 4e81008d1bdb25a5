"""The parts of a report that an estimate gives."""

import pytest

from app.load.bodies.answers import EstimateAnswer, to_estimate_answer
from app.load.bodies.load import FPD_LOAD, LoadBody
from app.load.bodies.topology import FPD, Graph
from app.rendering.reports import (
    Heading,
    Paragraph,
    ReportTable,
    list_diagnostics,
    list_evidence,
    list_operators,
)
from planner.situations.situation import estimate


@pytest.fixture
def answer() -> EstimateAnswer:
    load = LoadBody.model_validate(FPD_LOAD).to_values()
    return to_estimate_answer(
        estimate(Graph.model_validate(FPD).to_values(), load, {"generator": 6, "detector": 13, "reporter": 3})
    )


def test_the_busiest_operator_stands_first_with_its_change(answer: EstimateAnswer):
    _, said, table = list_operators(answer, {"detector": 15})
    assert isinstance(said, Paragraph)
    assert "estimates for the 22 processors of this table, at " in said.text
    assert isinstance(table, ReportTable)
    assert [row[0] for row in table.rows] == ["detector", "generator", "reporter"]
    assert table.rows[0][-1] == "13 → 15"
    assert table.rows[1][-1] == "6"


def test_evidence_and_diagnostics_are_said_where_there_are_some(answer: EstimateAnswer):
    assert isinstance(list_evidence(answer)[0], Heading)
    assert list_evidence(answer.model_copy(update={"evidence": None})) == []
    assert len(list_diagnostics(answer.diagnostics)) == 2
    assert list_diagnostics([]) == []
