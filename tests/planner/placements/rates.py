"""What tests of placement read of a prediction."""

from planner.placements.sustained_rate import Prediction


def read_rate(prediction: Prediction) -> float:
    """The rate sustained, of tasks that have profiles."""
    assert prediction.rate is not None
    return prediction.rate
