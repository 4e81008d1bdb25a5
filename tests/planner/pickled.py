"""Errors cross process boundaries: workers of the service and of tests send them."""

import pickle

from planner.errors import PlannerError


def send_across(error: PlannerError) -> PlannerError:
    """The error as another process receives it."""
    sent: PlannerError = pickle.loads(pickle.dumps(error))
    return sent
