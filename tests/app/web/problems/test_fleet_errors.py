"""Errors about the fleet have the types of those about one topology, and sentences of their own."""

from app.web.problems.fleet_errors import NoFleetDecision, NoFleetPolicy, NoStoredFleetPolicy
from app.web.problems.problem_kinds import describe_problem


def test_errors_about_the_fleet_have_known_types_and_their_own_sentences():
    found = [describe_problem(one()) for one in (NoFleetDecision, NoFleetPolicy, NoStoredFleetPolicy)]
    told = [(one["type"], one["status"], one["detail"].split(":")[0]) for one in found if one]
    assert told == [
        ("unknown-decision", 404, "The fleet has no decision"),
        ("no-policy", 409, "The fleet has no policy to decide by"),
        ("unknown-policy", 404, "The fleet has no policy"),
    ]
