"""What every route declares of itself: who may call it, its summary, and what it can answer besides its result."""

from collections.abc import Callable
from typing import Any

from fastapi import Depends

from app.web.documented_problems import document_problems


def declare(
    permission: Callable[..., Any], summary: str, *problems: str, also: dict[int | str, Any] | None = None
) -> dict[str, Any]:
    """Arguments of a route: `permission` is `may_read` or `may_store`; `also` are answers that are no problems."""
    return {
        "dependencies": [Depends(permission)],
        "summary": summary,
        "responses": (also or {}) | document_problems(*problems),
    }
