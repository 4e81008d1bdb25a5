"""The objectives that the service and the command line offer: a new one is a file beside this and a line here."""

from app.planning.objectives.min_latency import MIN_LATENCY
from app.planning.objectives.min_processors import MIN_PROCESSORS
from app.planning.objectives.plan_objective import PlanObjective
from app.planning.objectives.proportional import PROPORTIONAL
from app.planning.objectives.tradeoff import TRADEOFF

OBJECTIVES: tuple[PlanObjective, ...] = (MIN_LATENCY, MIN_PROCESSORS, TRADEOFF, PROPORTIONAL)
