"""Errors about what is stored of the fleet; their problem types are those of the same errors about one topology."""

from app.web.problems.stored_data_errors import NoPolicy, NoStoredPolicy, UnknownDecision


class NoStoredFleetPolicy(NoStoredPolicy):
    """The error that the fleet has no policy."""

    name: str = ""
    text = "The fleet has no policy: PUT one to /v1/fleet/policy."


class NoFleetPolicy(NoPolicy):
    """The error that a decision of the fleet needs a policy."""

    name: str = ""
    text = "The fleet has no policy to decide by: PUT one to /v1/fleet/policy."


class NoFleetDecision(UnknownDecision):
    """The error that no decision of the fleet is stored."""

    wanted: str = ""

    def __str__(self) -> str:
        return "The fleet has no decision: POST to /v1/fleet/decisions to make one."
