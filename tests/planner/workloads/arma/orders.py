"""The orders of ARMA models that tests fit."""

from planner.workloads.arma.models import ArmaOrder

CHECKED_ORDERS = [
    ArmaOrder(1, 2),
    ArmaOrder(1, 2, with_mean=True),
    ArmaOrder(2, 1),
    ArmaOrder(3, 0),
    ArmaOrder(0, 2),
]
