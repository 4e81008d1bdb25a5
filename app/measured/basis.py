"""Adds to an answer the stored data that it was computed from."""

from collections.abc import Sequence
from typing import TypeVar

from app.described.answers import DiagnosticAnswer, EstimateAnswer
from app.measured.load import Gathered

A = TypeVar("A", bound=EstimateAnswer)


def add_basis(answer: A, found: Gathered, aged: Sequence[DiagnosticAnswer]) -> A:
    """The answer with its basis, the diagnostics of the stored data, and those of its age."""
    said = [*map(DiagnosticAnswer.model_validate, found.diagnostics), *aged]
    return answer.model_copy(update={"diagnostics": said + answer.diagnostics, "basis": found.basis})
