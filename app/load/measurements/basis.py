"""Adds to an answer the stored data that it was computed from."""

from collections.abc import Sequence
from typing import TypeVar

from app.load.bodies.answers import DiagnosticAnswer, EstimateAnswer
from app.load.measurements.load import Gathered

A = TypeVar("A", bound=EstimateAnswer)


def add_basis(answer: A, found: Gathered, aged: Sequence[DiagnosticAnswer]) -> A:
    """The answer with its basis and calibration, the diagnostics of the stored data, and those of its age."""
    said = [*map(DiagnosticAnswer.model_validate, found.diagnostics), *aged]
    changed = {
        "diagnostics": said + answer.diagnostics,
        "calibration": list(found.calibration) or None,
        "basis": found.basis,
    }
    return answer.model_copy(update=changed)
