"""The name of a waiting model as JSON, from the planner's list of models."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from planner.queueing.waiting_models import WAITING_MODELS

if TYPE_CHECKING:
    KnownModel = str
else:
    KnownModel = Literal[tuple(WAITING_MODELS)]
ModelName = Annotated[
    KnownModel,
    Field(description=" ".join(f"`{name}`: {model.known}" for name, model in WAITING_MODELS.items())),
]
