"""Adds to an answer the stored data that it was computed from."""

from typing import TypeVar

from sqlalchemy.orm import Session

from app.described.answers import DiagnosticAnswer, EstimateAnswer
from app.measured.freshness import describe_age
from app.measured.load import Gathered

A = TypeVar("A", bound=EstimateAnswer)


def add_basis(session: Session, answer: A, found: Gathered) -> A:
    """The answer with its basis, the diagnostics of the stored data, and a diagnostic if that data is old."""
    said = [DiagnosticAnswer.model_validate(one) for one in found.diagnostics] + describe_age(session, found)
    return answer.model_copy(update={"diagnostics": said + answer.diagnostics, "basis": found.basis})
