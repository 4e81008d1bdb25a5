"""A decision of the service, as the bridge reads it."""

from typing import Any

from app.bridge.service_link import SeenDecision

CREATED_AT = "2026-11-19T10:00:00Z"


def make_decision(action: str = "scale_up", recommended: int = 6, **named: Any) -> SeenDecision:
    """A decision about one operator, of which 4 processors run."""
    document = {
        "id": "b7b9a1c2-0000-4000-8000-000000000000",
        "created_at": CREATED_AT,
        "action": action,
        "processors": {"current": {"parse": 4}, "recommended": {"parse": recommended}},
        "reasons": [{"code": "above-target", "detail": "E[T] is above the target."}],
        "external_rate": 100.0,
        "measured_sojourn_seconds": None,
        "current": {
            "stable": True,
            "expected_sojourn_seconds": 0.5,
            "operators": [{"name": "parse", "arrival_rate": 100.0, "utilisation": 0.9, "processors": 4}],
        },
        "expected_sojourn_seconds": 0.1,
        "policy": {"goal": {"t_max_seconds": 0.2}, "model": "ggk-whitt"},
    }
    return SeenDecision.model_validate(document | named)
