"""The fields of a request about a stored topology: which snapshots to use and how to smooth them."""

from typing import Annotated, Literal

from pydantic import Field

from app.load.bodies.request import Calibrate
from app.load.bodies.waiting_model import ModelName
from app.web.fields import Body
from planner.values import DEFAULT_MODEL


class WindowSmoothing(Body):
    """The mean of the newest `size` snapshots."""

    kind: Literal["window"]
    size: Annotated[int, Field(ge=1, le=100_000)]


class EwmaSmoothing(Body):
    """D = alpha·D' + (1 - alpha)·d over the newest snapshots: the larger alpha, the longer the memory."""

    kind: Literal["ewma"]
    alpha: Annotated[float, Field(ge=0, lt=1)]


Smoothing = Annotated[WindowSmoothing | EwmaSmoothing, Field(discriminator="kind")]


class Measured(Body):
    """The fields that every stored call takes; without smoothing the newest snapshot is used."""

    model: ModelName = DEFAULT_MODEL
    smoothing: Smoothing | None = None
    calibrate: Calibrate = True
